/*
 * One statement as messages of Postgres' protocol: parse, bind, describe, execute, sync. The embedded database takes
 * them unchanged; its own method copies large values five times, and asks for the types in between.
 */

const LETTER = { parse: 0x50, bind: 0x42, describe: 0x44, execute: 0x45, sync: 0x53, portal: 0x50 }
const LENGTH = 4
const PARSE = 1 + LENGTH + 1 + 1 + 2
const BIND = 1 + LENGTH + 1 + 1 + 2 + 2 + 2
/** Each parameter has its own format. */
const FORMAT = 2
const DESCRIBE = 1 + LENGTH + 1 + 1
const EXECUTE = 1 + LENGTH + 1 + 4
const SYNC = 1 + LENGTH
/** Postgres counts parameters in two bytes. */
const MOST_PARAMETERS = 65_535

/** A parameter on the wire: bytes in binary form, everything else as text; null for none. */
type Value = Uint8Array | string | null

/**
 * @param room bytes to write into, of at least the given length; shared memory will do
 * @returns the messages, at the beginning of that room
 * @throws RangeError for more parameters than Postgres takes
 */
export function writeStatement(
  sql: string,
  parameters: readonly unknown[],
  room: (length: number) => Buffer,
): Uint8Array {
  if (parameters.length > MOST_PARAMETERS) throw new RangeError(`a statement with ${parameters.length} parameters`)
  const values = parameters.map(wireValue)
  const sizes = values.map(sizeOf)
  const text = Buffer.byteLength(sql)
  const parse = PARSE + text
  const bind = sizes.reduce((sum, size) => sum + FORMAT + LENGTH + size, BIND)
  const length = parse + bind + DESCRIBE + EXECUTE + SYNC
  const bytes = room(length)
  let at = header(bytes, 0, LETTER.parse, parse)
  // The statement has no name.
  at = bytes.writeUInt8(0, at)
  at += bytes.write(sql, at)
  at = bytes.writeUInt8(0, at)
  at = bytes.writeUInt16BE(0, at)
  at = header(bytes, at, LETTER.bind, bind)
  at = bytes.writeUInt16BE(0, at)
  at = writeValues(bytes, at, values, sizes)
  // All columns come as text.
  at = bytes.writeUInt16BE(0, at)
  at = header(bytes, at, LETTER.describe, DESCRIBE)
  at = bytes.writeUInt8(LETTER.portal, at)
  at = bytes.writeUInt8(0, at)
  at = header(bytes, at, LETTER.execute, EXECUTE)
  at = bytes.writeUInt8(0, at)
  at = bytes.writeUInt32BE(0, at)
  header(bytes, at, LETTER.sync, SYNC)
  return bytes.subarray(0, length)
}

/** @param size of the whole message; the written size excludes the letter */
function header(bytes: Buffer, at: number, letter: number, size: number): number {
  bytes.writeUInt8(letter, at)
  return bytes.writeUInt32BE(size - 1, at + 1)
}

function writeValues(bytes: Buffer, from: number, values: readonly Value[], sizes: readonly number[]): number {
  let at = bytes.writeUInt16BE(values.length, from)
  for (const value of values) at = bytes.writeUInt16BE(value instanceof Uint8Array ? 1 : 0, at)
  at = bytes.writeUInt16BE(values.length, at)
  for (const [i, value] of values.entries()) {
    const size = sizes[i] ?? 0
    at = bytes.writeInt32BE(value === null ? -1 : size, at)
    if (value instanceof Uint8Array) bytes.set(value, at)
    else if (value !== null) bytes.write(value, at)
    at += size
  }
  return at
}

function sizeOf(value: Value): number {
  if (value === null) return 0
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length
}

function wireValue(parameter: unknown): Value {
  if (parameter === null || parameter === undefined) return null
  if (parameter instanceof Uint8Array) return parameter
  if (Array.isArray(parameter)) return arrayText(parameter)
  switch (typeof parameter) {
    case 'string':
      return parameter
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(parameter)
    default:
      throw new TypeError('a parameter that is neither a plain value nor a list')
  }
}

/** A list in Postgres' text form: `{"a","b\"c",NULL}`. */
function arrayText(list: readonly unknown[]): string {
  const quote = (element: unknown): string => {
    const value = wireValue(element)
    if (value === null) return 'NULL'
    if (typeof value !== 'string') throw new TypeError('bytes in a list')
    return `"${value.replace(/["\\]/g, '\\$&')}"`
  }
  return `{${list.map(quote).join()}}`
}
