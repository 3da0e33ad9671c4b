import { isUtf8 } from 'node:buffer'
import { ID_BYTES, NODE_ID_BYTES } from '../../../lib/bytes/ids.ts'
import { CodecError } from './codec-error.ts'
import type { Layout } from './layout.ts'
import { readBool, readCount, readHex, readU8, readU16, readU32, readU64, readView } from './reader.ts'
import { writeHex, writeRaw, writeU8, writeU16, writeU32, writeU64 } from './writer.ts'

/** The elementary types of all layouts. */
export const u8: Layout<number> = { minBytes: 1, read: readU8, write: writeU8 }
export const u32: Layout<number> = { minBytes: 4, read: readU32, write: writeU32 }
export const u64: Layout<bigint> = { minBytes: 8, read: readU64, write: writeU64 }

export const bool: Layout<boolean> = {
  minBytes: 1,
  read: readBool,
  write: (writer, value) => writeU8(writer, value ? 1 : 0),
}

/** 32 raw bytes, represented as hex. */
export const id: Layout<string> = hexOf(ID_BYTES)
/** 20 raw bytes, represented as hex. */
export const nodeId: Layout<string> = hexOf(NODE_ID_BYTES)

/** `size` raw bytes, as a view on the decoded buffer. */
export function raw(size: number): Layout<Uint8Array> {
  return {
    minBytes: size,
    read: (cursor) => readView(cursor, size),
    write(writer, value) {
      if (value.length !== size) throw new RangeError(`${value.length} bytes where ${size} belong`)
      writeRaw(writer, value)
    },
  }
}

/** 20 raw bytes of an owner's address. */
export const address: Layout<Uint8Array> = raw(20)

/** u32 length, then bytes, as a view. */
export const blob: Layout<Uint8Array> = {
  minBytes: 4,
  read: (cursor) => readView(cursor, readCount(cursor, 1)),
  write(writer, value) {
    writeU32(writer, value.length)
    writeRaw(writer, value)
  },
}

/** u32 length, then bytes represented as hex: for node ids where the node allows other lengths. */
export const hexBlob: Layout<string> = {
  minBytes: 4,
  read: (cursor) => readHex(cursor, readCount(cursor, 1)),
  write(writer, value) {
    writeU32(writer, value.length / 2)
    writeHex(writer, value)
  },
}

/** u16 length, then UTF-8. */
export const text: Layout<string> = {
  minBytes: 2,
  read(cursor) {
    const view = readView(cursor, readU16(cursor))
    // Other bytes could not be written back unchanged.
    if (!isUtf8(view)) throw new CodecError('text is not UTF-8', cursor.offset - view.length, cursor.type)
    return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('utf8')
  },
  write(writer, value) {
    writeU16(writer, Buffer.byteLength(value))
    writeRaw(writer, Buffer.from(value, 'utf8'))
  },
}

function hexOf(size: number): Layout<string> {
  return {
    minBytes: size,
    read: (cursor) => readHex(cursor, size),
    write(writer, value) {
      if (value.length !== size * 2) throw new RangeError(`${value.length} hex digits where ${size * 2} belong`)
      writeHex(writer, value)
    },
  }
}
