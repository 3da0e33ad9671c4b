import { decodeBase58, MAX_BASE58_CHARACTERS } from '../../../lib/bytes/base58.ts'
import { decodeCb58 } from '../../../lib/bytes/cb58.ts'
import { ID_BYTES } from '../../../lib/bytes/ids.ts'
import { MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'

const CHECKSUM_BYTES = 4
const NO_DIGIT = /[^1-9A-HJ-NP-Za-km-z]/

/** Go's `%q` of one character: between single quotes, and only those are escaped. */
const quoted = (character: string): string => {
  if (character === "'") return `'\\''`
  return character === '"' ? `'"'` : `'${goQuote(character).slice(1, -1)}'`
}

/**
 * The chain's id, checked; aliases are refused.
 * @throws MethodError with the text of the node's cb58 decoder
 */
export function checkChainId(text: string): string {
  if (text === '') throw new MethodError('base58 decoding error: zero length string')
  const wrong = NO_DIGIT.exec(text)?.[0]
  if (wrong !== undefined) {
    const why = wrong > '\u007f' ? 'High-bit set on invalid digit' : `Invalid base58 digit (${quoted(wrong)})`
    throw new MethodError(`base58 decoding error: ${why}`)
  }
  // Too long to be decoded: no id has that length.
  if (text.length > MAX_BASE58_CHARACTERS) throw new MethodError('invalid input checksum')
  const whole = decodeBase58(text)
  if (whole.length < CHECKSUM_BYTES) throw new MethodError('input string is smaller than the checksum size')
  let bytes: Uint8Array
  try {
    bytes = decodeCb58(text)
  } catch {
    throw new MethodError('invalid input checksum')
  }
  if (bytes.length !== ID_BYTES)
    throw new MethodError(`invalid hash length: expected ${ID_BYTES} bytes but got ${bytes.length}`)
  return text
}
