import { CodecError } from './codec-error.ts'

/**
 * A position in a buffer, moved by the read functions. Plain data and functions, because one is made for every UTXO.
 * All integers are big-endian (the node's linear codec). Every read past `end` throws CodecError.
 */
export interface Cursor {
  readonly bytes: Buffer
  readonly end: number
  offset: number
  /** Type being read, for error messages. */
  type: string
}

/** A cursor at the start of `bytes`. The bytes are not copied: results other than ids are views on them. */
export function openCursor(bytes: Uint8Array, type: string): Cursor {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes: buffer, end: buffer.length, offset: 0, type }
}

/** Advances by `size` bytes and returns the offset of the first. */
export function take(cursor: Cursor, size: number): number {
  const start = cursor.offset
  if (size > cursor.end - start) {
    throw new CodecError(`needs ${size} bytes, ${cursor.end - start} left`, start, cursor.type)
  }
  cursor.offset = start + size
  return start
}

export function readU8(cursor: Cursor): number {
  return cursor.bytes.readUInt8(take(cursor, 1))
}

export function readU16(cursor: Cursor): number {
  return cursor.bytes.readUInt16BE(take(cursor, 2))
}

export function readU32(cursor: Cursor): number {
  return cursor.bytes.readUInt32BE(take(cursor, 4))
}

export function readU64(cursor: Cursor): bigint {
  const start = take(cursor, 8)
  const high = cursor.bytes.readUInt32BE(start)
  const low = cursor.bytes.readUInt32BE(start + 4)
  // While the value is exact as a double, one conversion instead of three.
  if (high < 0x20_0000) return BigInt(high * 0x1_0000_0000 + low)
  return (BigInt(high) << 32n) | BigInt(low)
}

/** The node rejects any byte other than 0 and 1. */
export function readBool(cursor: Cursor): boolean {
  const value = readU8(cursor)
  if (value > 1) throw new CodecError(`a bool of ${value}`, cursor.offset - 1, cursor.type)
  return value === 1
}

/** `size` bytes as lower-case hex without 0x. */
export function readHex(cursor: Cursor, size: number): string {
  const start = take(cursor, size)
  return cursor.bytes.toString('hex', start, start + size)
}

/** `size` bytes as a view. */
export function readView(cursor: Cursor, size: number): Uint8Array {
  const start = take(cursor, size)
  return new Uint8Array(cursor.bytes.buffer, cursor.bytes.byteOffset + start, size)
}

/** u32 count of items of at least `minBytes` each. A count too large for the rest is rejected before any allocation. */
export function readCount(cursor: Cursor, minBytes: number): number {
  const start = cursor.offset
  const count = readU32(cursor)
  if (count * minBytes > cursor.end - cursor.offset) {
    throw new CodecError(`${count} items cannot fit into ${cursor.end - cursor.offset} bytes`, start, cursor.type)
  }
  return count
}

/** The u16 codec version at the start of every top-level object: 0. */
export function expectVersion(cursor: Cursor): void {
  const found = readU16(cursor)
  if (found !== 0) throw new CodecError(`codec version ${found}`, cursor.offset - 2, cursor.type)
}

export function expectEnd(cursor: Cursor): void {
  if (cursor.offset !== cursor.end) {
    throw new CodecError(`${cursor.end - cursor.offset} bytes left over`, cursor.offset, cursor.type)
  }
}
