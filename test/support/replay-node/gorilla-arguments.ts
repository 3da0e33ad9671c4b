import { EMPTY_ID, type Encoding, isCb58 } from './binary-text.ts'
import { kindOf, member, rawElements } from './go-json.ts'

/** The arguments do not decode; a node reports every such case with one text. */
export class BadArgumentsError extends Error {
  constructor() {
    super(
      "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls",
    )
  }
}

/** Typed access to the object in `params`. A node decodes all arguments first: methods read all of them first, too. */
export interface Arguments {
  /** The member's JSON text; undefined when absent or null. */
  raw(name: string): string | undefined
  text(name: string): string
  texts(name: string): string[]
  flag(name: string): boolean
  /** Unsigned integer as number or quoted decimal; absent is 0. */
  uint(name: string, bits?: 8 | 16 | 32 | 64): bigint
  /** cb58 of 32 bytes; absent is the zero id. */
  id(name: string): string
  ids(name: string): string[]
  nodeIDs(name: string): string[]
  encoding(): Encoding
  object(name: string): Arguments | undefined
}

const ENCODINGS: readonly string[] = ['hex', 'hexc', 'hexnc', 'json']

function asText(raw: string): string {
  if (kindOf(raw) !== 'string') throw new BadArgumentsError()
  return String(JSON.parse(raw))
}

function asId(raw: string): string {
  const text = asText(raw)
  if (!isCb58(text, 32)) throw new BadArgumentsError()
  return text
}

function asNodeID(raw: string): string {
  const text = asText(raw)
  if (!text.startsWith('NodeID-') || !isCb58(text.slice(7), 20)) throw new BadArgumentsError()
  return text
}

function asUint(raw: string, bits: number): bigint {
  const digits = /^(?:"(\d+)"|(\d+))$/.exec(raw)
  const value = digits === null ? undefined : BigInt(digits[1] ?? digits[2] ?? '0')
  if (value === undefined || value >= 1n << BigInt(bits)) throw new BadArgumentsError()
  return value
}

function list<T>(raw: string | undefined, read: (raw: string) => T): T[] {
  if (raw === undefined) return []
  if (kindOf(raw) !== 'array') throw new BadArgumentsError()
  return rawElements(raw).map(read)
}

function fromObject(object: string): Arguments {
  const raw = (name: string): string | undefined => {
    const value = member(object, name)
    return value === 'null' ? undefined : value
  }
  const read = <T>(name: string, absent: T, decode: (raw: string) => T): T => {
    const value = raw(name)
    return value === undefined ? absent : decode(value)
  }
  return {
    raw,
    text: (name) => read(name, '', asText),
    texts: (name) => list(raw(name), (item) => (item === 'null' ? '' : asText(item))),
    flag: (name) =>
      read(name, false, (value) => {
        if (kindOf(value) !== 'bool') throw new BadArgumentsError()
        return value === 'true'
      }),
    uint: (name, bits = 64) => read(name, 0n, (value) => asUint(value, bits)),
    id: (name) => read(name, EMPTY_ID, asId),
    ids: (name) => list(raw(name), asId),
    nodeIDs: (name) => list(raw(name), asNodeID),
    encoding: () =>
      read<Encoding>('encoding', 'hex', (value) => {
        const name = asText(value).toLowerCase()
        if (!ENCODINGS.includes(name)) throw new BadArgumentsError()
        return name as Encoding
      }),
    object: (name) =>
      read<Arguments | undefined>(name, undefined, (value) => {
        if (kindOf(value) !== 'object') throw new BadArgumentsError()
        return fromObject(value)
      }),
  }
}

/** `params` is an object, or an array whose first element is that object; absent and empty mean no arguments. */
export function readArguments(params: string | undefined): Arguments {
  if (params === undefined || params === 'null') return fromObject('{}')
  const value = kindOf(params) === 'array' ? (rawElements(params)[0] ?? '{}') : params
  if (value === 'null') return fromObject('{}')
  if (kindOf(value) !== 'object') throw new BadArgumentsError()
  return fromObject(value)
}
