import { RangeContentError } from '../errors.ts'
import { decimalSize, writeDecimal } from './binary-decimal.ts'

/** Postgres' names of column types; jsonb is sent as its text. */
export type ColumnType = 'int2' | 'int4' | 'int8' | 'numeric' | 'bytea' | 'uuid' | 'bool' | 'text' | 'jsonb'
/** bytea and uuid as hex, or bytea as bytes; integers and numeric as either kind of number; jsonb as its text. */
export type Cell = string | number | bigint | boolean | Uint8Array | null | undefined

/** Encoding of one type in Postgres' binary protocol. */
interface Encoding {
  oid: number
  /** Bytes that a value takes. */
  size(cell: NonNullable<Cell>): number
  /** @throws RangeContentError, RangeError when the value does not fit */
  write(bytes: Buffer, at: number, cell: NonNullable<Cell>): void
}

const HEADER = 20
const LENGTH = 4

/**
 * A one-dimensional array with lower bound 1: each element after its length, −1 = null. The server parses no text, and
 * neither side converts digits.
 * @throws RangeContentError when a value does not fit its type
 */
export function binaryArray(type: ColumnType, cells: readonly Cell[]): Buffer {
  const { oid, size, write } = ENCODINGS[type]
  let total = HEADER
  let nulls = 0
  for (const cell of cells) {
    if (cell === null || cell === undefined) nulls = 1
    else total += size(cell)
  }
  const array = Buffer.allocUnsafeSlow(total + LENGTH * cells.length)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(nulls, 4)
  array.writeInt32BE(oid, 8)
  array.writeInt32BE(cells.length, 12)
  array.writeInt32BE(1, 16)
  let at = HEADER
  for (const cell of cells) {
    const length = cell === null || cell === undefined ? -1 : size(cell)
    array.writeInt32BE(length, at)
    at += LENGTH
    if (cell === null || cell === undefined) continue
    write(array, at, cell)
    at += length
  }
  return array
}

/** One value in the same form. */
export function binaryValue(type: ColumnType, cell: NonNullable<Cell>): Buffer {
  const { size, write } = ENCODINGS[type]
  const value = Buffer.allocUnsafeSlow(size(cell))
  write(value, 0, cell)
  return value
}

/** As two halves where a double is exact: Node splits a bigint into eight others. */
function writeInt8(bytes: Buffer, at: number, cell: NonNullable<Cell>): void {
  const number = typeof cell === 'bigint' ? Number(cell) : cell
  if (Number.isSafeInteger(number)) {
    const high = Math.floor((number as number) / 0x1_0000_0000)
    bytes.writeInt32BE(high, at)
    bytes.writeUInt32BE((number as number) - high * 0x1_0000_0000, at + 4)
  } else if (typeof cell === 'bigint') bytes.writeBigInt64BE(cell, at)
  else throw new RangeContentError(`${cell} is no whole number`)
}

const whole = (cell: NonNullable<Cell>): bigint => (typeof cell === 'bigint' ? cell : BigInt(cell as number))

const hexSize = (cell: NonNullable<Cell>): number =>
  typeof cell === 'string' ? cell.length / 2 : (cell as Uint8Array).length

const UUID_BYTES = 16
function uuidSize(cell: NonNullable<Cell>): number {
  if (hexSize(cell) !== UUID_BYTES) throw new RangeContentError('a key of another length than 16 bytes')
  return UUID_BYTES
}

function writeBytes(bytes: Buffer, at: number, cell: NonNullable<Cell>): void {
  if (typeof cell !== 'string') bytes.set(cell as Uint8Array, at)
  // Node stops silently at the first non-hex character, and the buffer contains old data.
  else if (bytes.write(cell, at, 'hex') * 2 !== cell.length)
    throw new RangeContentError('not an even number of hex digits')
}

// Postgres text cannot contain NUL, and strangers choose token names.
const withoutNul = (cell: NonNullable<Cell>): string => String(cell).replaceAll('\0', '')

const TEXT: Encoding = {
  oid: 25,
  size: (cell) => Buffer.byteLength(withoutNul(cell)),
  write: (bytes, at, cell) => void bytes.write(withoutNul(cell), at),
}

const ENCODINGS: Record<ColumnType, Encoding> = {
  int2: { oid: 21, size: () => 2, write: (bytes, at, cell) => void bytes.writeInt16BE(Number(cell), at) },
  int4: { oid: 23, size: () => 4, write: (bytes, at, cell) => void bytes.writeInt32BE(Number(cell), at) },
  int8: { oid: 20, size: () => 8, write: writeInt8 },
  numeric: {
    oid: 1700,
    size: (cell) => decimalSize(whole(cell)),
    write: (bytes, at, cell) => writeDecimal(bytes, at, whole(cell)),
  },
  bytea: { oid: 17, size: hexSize, write: writeBytes },
  uuid: { oid: 2950, size: uuidSize, write: writeBytes },
  bool: { oid: 16, size: () => 1, write: (bytes, at, cell) => void bytes.writeUInt8(cell ? 1 : 0, at) },
  text: TEXT,
  jsonb: TEXT,
}
