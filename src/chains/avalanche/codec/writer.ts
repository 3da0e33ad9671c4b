/** A growing buffer; the counterpart of Cursor. */
export interface Writer {
  bytes: Buffer
  offset: number
}

export function openWriter(): Writer {
  return { bytes: Buffer.allocUnsafe(1024), offset: 0 }
}

/** A copy of the bytes written so far. */
export function written(writer: Writer): Buffer {
  return Buffer.from(writer.bytes.subarray(0, writer.offset))
}

function reserve(writer: Writer, size: number): number {
  const start = writer.offset
  if (start + size > writer.bytes.length) {
    const grown = Buffer.allocUnsafe(Math.max(start + size, writer.bytes.length * 2))
    writer.bytes.copy(grown, 0, 0, start)
    writer.bytes = grown
  }
  writer.offset = start + size
  return start
}

/** Throws Node's RangeError when the value does not fit, like the three below. */
export function writeU8(writer: Writer, value: number): void {
  const start = reserve(writer, 1)
  writer.bytes.writeUInt8(value, start)
}

export function writeU16(writer: Writer, value: number): void {
  const start = reserve(writer, 2)
  writer.bytes.writeUInt16BE(value, start)
}

export function writeU32(writer: Writer, value: number): void {
  const start = reserve(writer, 4)
  writer.bytes.writeUInt32BE(value, start)
}

export function writeU64(writer: Writer, value: bigint): void {
  const start = reserve(writer, 8)
  const number = Number(value)
  if (number < 0 || number > Number.MAX_SAFE_INTEGER) {
    writer.bytes.writeBigUInt64BE(value, start)
    return
  }
  // As two halves while a double is exact: Node splits a bigint into eight bytes.
  const high = Math.floor(number / 0x1_0000_0000)
  writer.bytes.writeUInt32BE(high, start)
  writer.bytes.writeUInt32BE(number - high * 0x1_0000_0000, start + 4)
}

export function writeRaw(writer: Writer, value: Uint8Array): void {
  const start = reserve(writer, value.length)
  writer.bytes.set(value, start)
}

export function writeHex(writer: Writer, hex: string): void {
  const size = hex.length / 2
  const start = reserve(writer, Math.ceil(size))
  // Node stops silently at the first character that is not a hex digit.
  if (writer.bytes.write(hex, start, 'hex') !== size) throw new RangeError('not an even number of hex digits')
}
