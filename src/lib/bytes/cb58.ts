import { BadInputError } from '../../errors.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { sha256Hex } from './sha256.ts'

const CHECKSUM_BYTES = 4

/** Buffer for bytes and checksum of ids and keys, reused by each call. */
const WHOLE = new Uint8Array(64)

/** Avalanche's text form of ids and keys: base58(bytes ‖ last 4 bytes of sha256(bytes)). About 2 µs for an id. */
export function encodeCb58(bytes: Uint8Array): string {
  const length = bytes.length + CHECKSUM_BYTES
  const whole = length <= WHOLE.length ? WHOLE : new Uint8Array(length)
  whole.set(bytes)
  // As digits: a digest in a separate buffer costs several times as much.
  const checksum = Number.parseInt(sha256Hex(bytes).slice(-2 * CHECKSUM_BYTES), 16)
  for (let i = 0; i < CHECKSUM_BYTES; i++) whole[length - 1 - i] = checksum >>> (8 * i)
  return encodeBase58(whole, length)
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
