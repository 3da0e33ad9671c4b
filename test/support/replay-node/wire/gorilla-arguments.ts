import { EMPTY_ID, type Encoding, isCb58 } from './binary-text.ts'
import { kindOf, rawElements, rawMembers } from './go-json.ts'

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

const EMPTY_NODE_ID = 'NodeID-111111111111111111116DBWJs'

/** A null element is what the type begins with. */
const listOf =
  <T>(read: (raw: string) => T, zero: T) =>
  (raw: string): T[] => {
    if (kindOf(raw) !== 'array') throw new BadArgumentsError()
    return rawElements(raw).map((item) => (item === 'null' ? zero : read(item)))
  }

function asFlag(raw: string): boolean {
  if (kindOf(raw) !== 'bool') throw new BadArgumentsError()
  return raw === 'true'
}

function asEncoding(raw: string): Encoding {
  const name = asText(raw).toLowerCase()
  if (!ENCODINGS.includes(name)) throw new BadArgumentsError()
  return name as Encoding
}

function asObject(raw: string): Arguments {
  if (kindOf(raw) !== 'object') throw new BadArgumentsError()
  return fromObject(raw)
}

function fromObject(object: string): Arguments {
  /** A member that stands twice is decoded twice: the last one counts, but null leaves what was there. */
  const read = <T>(name: string, absent: T, decode: (raw: string) => T, cleared?: T): T => {
    let value = absent
    for (const [key, raw] of rawMembers(object)) {
      if (key.toLowerCase() !== name.toLowerCase()) continue
      if (raw !== 'null') value = decode(raw)
      else if (cleared !== undefined) value = cleared
    }
    return value
  }
  const list = <T>(name: string, decode: (raw: string) => T[]): T[] => read<T[]>(name, [], decode, [])
  return {
    raw: (name) => read<string | undefined>(name, undefined, (raw) => raw),
    text: (name) => read(name, '', asText),
    texts: (name) => list(name, listOf(asText, '')),
    flag: (name) => read(name, false, asFlag),
    uint: (name, bits = 64) => read(name, 0n, (raw) => asUint(raw, bits)),
    id: (name) => read(name, EMPTY_ID, asId),
    ids: (name) => list(name, listOf(asId, EMPTY_ID)),
    nodeIDs: (name) => list(name, listOf(asNodeID, EMPTY_NODE_ID)),
    encoding: () => read<Encoding>('encoding', 'hex', asEncoding),
    object: (name) => read<Arguments | undefined>(name, undefined, asObject),
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
