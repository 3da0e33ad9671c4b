import { goHexProblem } from '../../lib/bytes/go-hex.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'
import { encodeNodeHex } from '../../lib/bytes/node-hex.ts'
import { sha256 } from '../../lib/bytes/sha256.ts'
import { KeystoreError } from './errors.ts'

/** Text encoding of a blob; nodes know the name `json`, but not for blobs. */
type BlobEncoding = 'hex' | 'hexc' | 'hexnc' | 'json'

const CHECKSUM_BYTES = 4
const UNSUPPORTED = 'unsupported encoding in method'

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
  const problem = goHexProblem(text)
  if (problem !== undefined) throw new KeystoreError(problem)
  const whole = Buffer.from(text.slice(2), 'hex')
  if (encoding === 'hexnc') return whole
  if (whole.length < CHECKSUM_BYTES) throw new KeystoreError('input string is smaller than the checksum size')
  const bytes = whole.subarray(0, -CHECKSUM_BYTES)
  if (!sha256(bytes).subarray(-CHECKSUM_BYTES).equals(whole.subarray(-CHECKSUM_BYTES)))
    throw new KeystoreError('invalid input checksum')
  return bytes
}
