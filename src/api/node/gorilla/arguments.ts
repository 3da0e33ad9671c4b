import { BadInputError } from '../../../errors.ts'
import { EMPTY_ID, idFromCb58 } from '../../../lib/bytes/ids.ts'
import { eachElement, eachMember, kindOf, type Span } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'

/** An argument that cannot be decoded. A node has one error text for all of them. */
export class ArgumentError extends Error {
  constructor() {
    super(
      "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls",
    )
  }
}

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json'

/**
 * Typed access to the object in `params`, as lenient and as strict as a node: names are case-insensitive, unknown
 * members are ignored, the last duplicate wins, null leaves the zero value. A wrong type throws ArgumentError. A node
 * decodes all arguments before it runs a method, so methods read all of theirs first.
 */
export interface Arguments {
  /** Absent is the empty string. */
  string(name: string): string
  /** Absent is the empty list; a null element is the empty string. */
  strings(name: string): string[]
  /** A bare or quoted decimal; absent is 0. */
  uint64(name: string): bigint
  /** An id of 32 bytes in cb58, as lower-case hex; absent is the zero id. */
  id(name: string): string
  /** Any case; absent is hex. Byte-only methods refuse `json` themselves (`unsupported encoding in method`). */
  encoding(name?: string): Encoding
  /** What `decode` makes of the member's JSON text, as sent; undefined when absent or null. */
  decoded<T>(name: string, decode: (json: string) => T): T | undefined
}

const ENCODINGS: readonly string[] = ['hex', 'hexc', 'hexnc', 'json']

const asString = (bytes: Buffer, { from, to }: Span): string => {
  if (kindOf(bytes, from) !== 'string') throw new ArgumentError()
  return decodeString(bytes, from, to)
}

/** Ids and encodings: a node compares the raw JSON text, so escapes in it are not resolved. */
const asPlainText = (bytes: Buffer, { from, to }: Span): string => {
  if (kindOf(bytes, from) !== 'string') throw new ArgumentError()
  return bytes.toString('latin1', from + 1, to - 1)
}

const asId = (bytes: Buffer, span: Span): string => {
  try {
    return idFromCb58(asPlainText(bytes, span))
  } catch (error) {
    if (error instanceof BadInputError) throw new ArgumentError()
    throw error
  }
}

const asUint64 = (bytes: Buffer, { from, to }: Span): bigint => {
  // More digits cannot fit; up to this length leading zeros are legal, inside quotes only.
  const digits = to - from > 128 ? null : /^(?:"(\d+)"|(\d+))$/.exec(bytes.toString('latin1', from, to))
  const value = digits === null ? undefined : BigInt(digits[1] ?? digits[2] ?? '0')
  if (value === undefined || value >= 1n << 64n) throw new ArgumentError()
  return value
}

const asEncoding = (bytes: Buffer, span: Span): Encoding => {
  const name = asPlainText(bytes, span).toLowerCase()
  if (!ENCODINGS.includes(name)) throw new ArgumentError()
  return name as Encoding
}

const isNull = (bytes: Buffer, { from }: Span): boolean => kindOf(bytes, from) === 'null'

const asStrings = (bytes: Buffer, span: Span): string[] => {
  const items: string[] = []
  const isArray = eachElement(bytes, span.from, (from, to) => {
    items.push(isNull(bytes, { from, to }) ? '' : asString(bytes, { from, to }))
    return true
  })
  if (!isArray) throw new ArgumentError()
  return items
}

const readMembers = (bytes: Buffer, at: number): Map<string, Span[]> => {
  const members = new Map<string, Span[]>()
  eachMember(bytes, at, (keyFrom, keyTo, from, to) => {
    const name = foldName(decodeString(bytes, keyFrom, keyTo))
    const known = members.get(name)
    if (known) known.push({ from, to })
    else members.set(name, [{ from, to }])
  })
  return members
}

function fromObject(bytes: Buffer, at: number): Arguments {
  const members = at < 0 ? new Map<string, Span[]>() : readMembers(bytes, at)
  /**
   * Every duplicate is decoded: an invalid one is an error even if a later one wins. `clears`: null takes an earlier one
   * back, as it does for a list and what a node points to; any other value it leaves unchanged.
   */
  const read = <T>(name: string, absent: T, decode: (span: Span) => T, clears = false): T => {
    let value = absent
    for (const span of members.get(foldName(name)) ?? []) {
      if (!isNull(bytes, span)) value = decode(span)
      else if (clears) value = absent
    }
    return value
  }
  return {
    string: (name) => read(name, '', (span) => asString(bytes, span)),
    strings: (name) => read<string[]>(name, [], (span) => asStrings(bytes, span), true),
    uint64: (name) => read(name, 0n, (span) => asUint64(bytes, span)),
    id: (name) => read(name, EMPTY_ID, (span) => asId(bytes, span)),
    encoding: (name = 'encoding') => read<Encoding>(name, 'hex', (span) => asEncoding(bytes, span)),
    decoded: <T>(name: string, decode: (json: string) => T) =>
      read<T | undefined>(name, undefined, ({ from, to }) => decode(bytes.toString('utf8', from, to)), true),
  }
}

/**
 * `params` is an object, or an array whose first element is that object; absent, null and empty mean no arguments.
 * @throws ArgumentError on anything else.
 */
export function readArguments(params: Buffer | undefined): Arguments {
  if (params === undefined) return fromObject(EMPTY, -1)
  let at = 0
  if (kindOf(params, 0) === 'array') {
    at = -1
    eachElement(params, 0, (from) => {
      at = from
      return false
    })
    if (at < 0) return fromObject(EMPTY, -1)
  }
  const kind = kindOf(params, at)
  if (kind === 'null') return fromObject(EMPTY, -1)
  if (kind !== 'object') throw new ArgumentError()
  return fromObject(params, at)
}

const EMPTY = Buffer.alloc(0)
