import { bytesToHex } from '../../lib/bytes/ids.ts'
import { encodeNodeHex } from '../../lib/bytes/node-hex.ts'
import { sha256 } from '../../lib/bytes/sha256.ts'
import { KeystoreError } from './errors.ts'

/** Text encoding of a blob; nodes know the name `json`, but not for blobs. */
type BlobEncoding = 'hex' | 'hexc' | 'hexnc' | 'json'

const CHECKSUM_BYTES = 4
const UNSUPPORTED = 'unsupported encoding in method'
const NOT_HEX = /[^0-9a-fA-F]/

/**
 * `0x` and lower-case digits; `hex` and `hexc` append the last four bytes of the SHA-256.
 * @throws KeystoreError for `json`
 */
export function encodeBlobText(bytes: Uint8Array, encoding: BlobEncoding): string {
  if (encoding === 'json') throw new KeystoreError(UNSUPPORTED)
  return encoding === 'hexnc' ? `0x${bytesToHex(bytes)}` : encodeNodeHex(bytes)
}

/**
 * Reverses `encodeBlobText`; digits in any case, the empty text means no bytes in every encoding.
 * @throws KeystoreError with the node's text
 */
export function decodeBlobText(text: string, encoding: BlobEncoding): Uint8Array {
  if (text === '') return new Uint8Array()
  if (encoding === 'json') throw new KeystoreError(UNSUPPORTED)
  if (!text.startsWith('0x')) throw new KeystoreError('missing 0x prefix to hex encoding')
  const wrong = NOT_HEX.exec(text.slice(2))
  if (wrong) throw new KeystoreError(`encoding/hex: invalid byte: ${byteName(wrong[0])}`)
  if (text.length % 2 === 1) throw new KeystoreError('encoding/hex: odd length hex string')
  const whole = Buffer.from(text.slice(2), 'hex')
  if (encoding === 'hexnc') return whole
  if (whole.length < CHECKSUM_BYTES) throw new KeystoreError('input string is smaller than the checksum size')
  const bytes = whole.subarray(0, -CHECKSUM_BYTES)
  if (!sha256(bytes).subarray(-CHECKSUM_BYTES).equals(whole.subarray(-CHECKSUM_BYTES)))
    throw new KeystoreError('invalid input checksum')
  return bytes
}

/** The first UTF-8 byte of a character as Go names it (`U+0067 'g'`), with the character only if it is printable. */
function byteName(character: string): string {
  const byte = Buffer.from(character).at(0) ?? 0
  const code = `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`
  // The unprintable ones above 0x7f are never the first byte of a character.
  const printable = byte >= 0x20 && byte !== 0x7f
  return printable ? `${code} '${String.fromCharCode(byte)}'` : code
}
