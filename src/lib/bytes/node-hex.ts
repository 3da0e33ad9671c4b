import { BadAnswerError } from '../../errors.ts'
import { bytesToHex } from './ids.ts'
import { sha256Hex } from './sha256.ts'

const CHECKSUM_BYTES = 4

/** A node's `hex` encoding: 0x + bytes + last 4 bytes of sha256(bytes). */
export function encodeNodeHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}${sha256Hex(bytes).slice(-2 * CHECKSUM_BYTES)}`
}

/**
 * Reverses `encodeNodeHex`.
 * @throws BadAnswerError when prefix, digits or checksum are wrong.
 */
export function decodeNodeHex(text: string): Buffer {
  if (!text.startsWith('0x')) throw new BadAnswerError('hex without 0x')
  const whole = Buffer.from(text.slice(2), 'hex')
  // Node stops silently at the first character that is not a hex digit.
  if (whole.length * 2 !== text.length - 2) throw new BadAnswerError('not an even number of hex digits')
  if (whole.length < CHECKSUM_BYTES) throw new BadAnswerError('hex is too short for its checksum')
  const bytes = whole.subarray(0, -CHECKSUM_BYTES)
  // As digits: a digest in a separate buffer costs several times as much.
  if (!sha256Hex(bytes).endsWith(whole.toString('hex', bytes.length))) {
    throw new BadAnswerError('hex checksum does not match')
  }
  return bytes
}
