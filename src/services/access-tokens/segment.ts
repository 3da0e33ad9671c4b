import { AccessTokenError } from './access-token-error.ts'

const OUTSIDE = /[^A-Za-z0-9_-]/

/**
 * One part of a token: base64url without padding. Leftover bits at the end are ignored, as in Go's decoder.
 * @param text one character per byte
 * @throws AccessTokenError with the decoder's text
 */
export function decodeSegment(text: string): Buffer {
  const wrong = OUTSIDE.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined)
  if (wrong !== undefined) throw new AccessTokenError(`illegal base64 data at input byte ${wrong}`)
  return Buffer.from(text, 'base64url')
}
