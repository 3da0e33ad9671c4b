import { bytesToHex } from '../../../../lib/bytes/ids.ts'
import { CodecError } from '../codec-error.ts'
import { type Cursor, take } from '../reader.ts'

/** One RLP item: where it starts (including its head) and where its payload is in the cursor's buffer. */
export interface RlpItem {
  isList: boolean
  start: number
  payload: number
  end: number
}

/**
 * Reads the head of the next item and moves past the whole item. Only the canonical form is accepted, so that encoding
 * gives the same bytes again.
 * @throws CodecError
 */
function readRlpItem(cursor: Cursor): RlpItem {
  const start = take(cursor, 1)
  const head = cursor.bytes.readUInt8(start)
  if (head < 0x80) return { isList: false, start, payload: start, end: start + 1 }
  const isList = head >= 0xc0
  const short = head - (isList ? 0xc0 : 0x80)
  const size = short < 56 ? short : readLongSize(cursor, short - 55)
  const payload = take(cursor, size)
  if (!isList && size === 1 && cursor.bytes.readUInt8(payload) < 0x80) throw notCanonical(cursor, start)
  return { isList, start, payload, end: payload + size }
}

function readLongSize(cursor: Cursor, width: number): number {
  const start = take(cursor, width)
  // Four bytes of length exceed any block by far; more could not be an exact array index.
  if (width > 4) throw new CodecError(`a length of ${width} bytes`, start, cursor.type)
  const size = cursor.bytes.readUIntBE(start, width)
  if (size < 56 || cursor.bytes.readUInt8(start) === 0) throw notCanonical(cursor, start)
  return size
}

function notCanonical(cursor: Cursor, offset: number): CodecError {
  return new CodecError('RLP is not canonical', offset, cursor.type)
}

/** Reads a list's head and returns a cursor over its payload; `cursor` moves past the list. */
export function enterRlpList(cursor: Cursor, type: string): Cursor {
  const item = readRlpItem(cursor)
  if (!item.isList) throw new CodecError('a list is expected', item.start, type)
  return { bytes: cursor.bytes, offset: item.payload, end: item.end, type }
}

/** Reads a byte string as a view. */
export function readRlpBytes(cursor: Cursor): Uint8Array {
  const item = readRlpItem(cursor)
  if (item.isList) throw new CodecError('a byte string is expected', item.start, cursor.type)
  return new Uint8Array(cursor.bytes.buffer, cursor.bytes.byteOffset + item.payload, item.end - item.payload)
}

/** The items of a list as views, including their heads. */
export function readRlpItems(cursor: Cursor, type: string): Uint8Array[] {
  const inner = enterRlpList(cursor, type)
  const items: Uint8Array[] = []
  while (inner.offset < inner.end) {
    const item = readRlpItem(inner)
    items.push(new Uint8Array(inner.bytes.buffer, inner.bytes.byteOffset + item.start, item.end - item.start))
  }
  return items
}

export function encodeRlpBytes(bytes: Uint8Array): Uint8Array {
  const [first] = bytes
  if (bytes.length === 1 && first !== undefined && first < 0x80) return bytes
  return Buffer.concat([rlpHead(0x80, bytes.length), bytes])
}

/** @param items already encoded */
export function encodeRlpList(items: readonly Uint8Array[]): Uint8Array {
  const payload = Buffer.concat(items)
  return Buffer.concat([rlpHead(0xc0, payload.length), payload])
}

function rlpHead(base: number, size: number): Uint8Array {
  if (size < 56) return Uint8Array.of(base + size)
  const width = size < 0x100 ? 1 : size < 0x1_0000 ? 2 : size < 0x100_0000 ? 3 : 4
  const head = Buffer.alloc(1 + width)
  head.writeUInt8(base + 55 + width)
  head.writeUIntBE(size, 1, width)
  return head
}

/** The shortest big-endian bytes of an unsigned integer; zero is the empty string. */
export function uintToBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0)
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

/** @throws CodecError when the bytes have a leading zero or more than 256 bits. */
export function readRlpUint(cursor: Cursor): bigint {
  const start = cursor.offset
  const bytes = readRlpBytes(cursor)
  if (bytes.length > 32 || bytes[0] === 0) throw notCanonical(cursor, start)
  return bytes.length === 0 ? 0n : BigInt(`0x${bytesToHex(bytes)}`)
}
