import { KeystoreError } from './errors.ts'

/** Reads fields in order; errors have the texts of the node's codec. All integers are big-endian. */
export interface CodecReader {
  /** This many bytes, as a view. */
  fixed(size: number): Uint8Array
  /** The u32 that precedes a list. */
  length(): number
  /** Bytes after their u32 length, as a view. */
  bytes(): Uint8Array
}

const VERSION_BYTES = 2
const LENGTH_BYTES = 4
const MAX_LENGTH = 0x7fffffff
const TOO_SHORT = 'packer has insufficient length for input'

/**
 * Decodes a value of codec version 0: u16 version, fields, nothing after them.
 * @param maxBytes maximum that the node's codec accepts here
 * @throws KeystoreError with the codec's own text
 */
export function decodeWith<T>(source: Uint8Array, maxBytes: number, decode: (reader: CodecReader) => T): T {
  if (source.length > maxBytes)
    throw new KeystoreError(`byte array exceeds maximum length: ${source.length} > ${maxBytes}`)
  if (source.length < VERSION_BYTES) throw new KeystoreError("couldn't unpack codec version")
  if (source[0] !== 0 || source[1] !== 0) throw new KeystoreError('unknown codec version')
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  let at = VERSION_BYTES
  const reader: CodecReader = {
    fixed(size) {
      if (source.length - at < size) throw new KeystoreError(TOO_SHORT)
      at += size
      return source.subarray(at - size, at)
    },
    length() {
      if (source.length - at < LENGTH_BYTES) throw new KeystoreError(`couldn't unmarshal slice: ${TOO_SHORT}`)
      const length = view.getUint32(at)
      at += LENGTH_BYTES
      if (length > MAX_LENGTH)
        throw new KeystoreError(
          `max slice length exceeded; array length, ${length}, exceeds maximum length, ${MAX_LENGTH}`,
        )
      return length
    },
    bytes: () => reader.fixed(reader.length()),
  }
  const value = decode(reader)
  if (at !== source.length) throw new KeystoreError(`trailing buffer space: read ${at} provided ${source.length}`)
  return value
}

/** Version 0, followed by the fields. */
export const encode = (...fields: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([Buffer.alloc(VERSION_BYTES), ...fields])

/** The u32 that precedes a list. */
export function lengthField(length: number): Uint8Array {
  const field = Buffer.alloc(LENGTH_BYTES)
  field.writeUInt32BE(length)
  return field
}

/** Bytes after their u32 length. */
export const bytesField = (bytes: Uint8Array): Uint8Array => Buffer.concat([lengthField(bytes.length), bytes])
