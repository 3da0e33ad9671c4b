import { createHmac, timingSafeEqual } from 'node:crypto'
import { escapeHtml } from '../../lib/json/go-json.ts'
import { formatGoDuration } from '../../lib/json/go-time.ts'
import { AccessTokenError } from './access-token-error.ts'

/** Claims of a token. Times are unix seconds; the empty list grants nothing. */
export interface Claims {
  exp?: bigint
  nbf?: bigint
  iat?: bigint
  jti: string
  endpoints: string[]
}

/**
 * Parses the JSON inside a token as the node's library does: its error texts reach clients. Both throw AccessTokenError
 * with the text of Go's decoder.
 */
export interface TokenJson {
  /** `alg` of the header; undefined when it is not a string. */
  algorithm(header: Buffer): string | undefined
  claims(payload: Buffer): Claims
}

/** Algorithms that the node's library knows; all but the first are refused with another text than unknown ones. */
const ALGORITHMS = new Set(
  ['HS', 'RS', 'ES', 'PS']
    .flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`))
    .concat('EdDSA', 'none'),
)
const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
const NANOSECONDS = 1_000_000_000n
const LONGEST = 2n ** 63n - 1n
const NOT_BASE64 = /[^A-Za-z0-9_-]/

const hmac = (signed: string, key: Buffer): Buffer => createHmac('sha256', key).update(signed, 'latin1').digest()

/** A token in the node's layout. `exp` unix seconds. */
export function signToken(claims: { exp: bigint; jti: string; endpoints: readonly string[] }, key: Buffer): string {
  const { exp, jti, endpoints } = claims
  const payload = `{"exp":${exp},"jti":${JSON.stringify(jti)},"endpoints":${JSON.stringify(endpoints)}}`
  const signed = `${HEADER}.${Buffer.from(escapeHtml(payload)).toString('base64url')}`
  return `${signed}.${hmac(signed, key).toString('base64url')}`
}

/** What is wrong with the times of a token; if several are wrong, the last one is reported. */
function timeProblem({ exp, nbf, iat }: Claims, now: bigint): string | undefined {
  if (nbf !== undefined && now < nbf * NANOSECONDS) return 'token is not valid yet'
  if (iat !== undefined && now < iat * NANOSECONDS) return 'token used before issued'
  if (exp === undefined || now < exp * NANOSECONDS) return undefined
  const age = now - exp * NANOSECONDS
  return `${formatGoDuration(age > LONGEST ? LONGEST : age)} by token is expired`
}

/**
 * One part of a token: base64url without padding. Leftover bits at the end are ignored, as in Go's decoder.
 * @param text one character per byte
 * @throws AccessTokenError with the decoder's text
 */
function decodeSegment(text: string): Buffer {
  const wrong = NOT_BASE64.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined)
  if (wrong !== undefined) throw new AccessTokenError(`illegal base64 data at input byte ${wrong}`)
  return Buffer.from(text, 'base64url')
}

function readToken(token: string, json: TokenJson): { claims: Claims; algorithm: string } {
  const parts = token.split('.')
  const [header = '', payload = ''] = parts
  if (parts.length !== 3) throw new AccessTokenError('token contains an invalid number of segments')
  if (/^bearer /i.test(token)) throw new AccessTokenError("tokenstring should not contain 'bearer '")
  const algorithm = json.algorithm(decodeSegment(header))
  const claims = json.claims(decodeSegment(payload))
  if (algorithm === undefined) throw new AccessTokenError('signing method (alg) is unspecified.')
  if (!ALGORITHMS.has(algorithm)) throw new AccessTokenError('signing method (alg) is unavailable.')
  return { claims, algorithm }
}

/**
 * Checks form, signature and times, in the order of the node's library (jwt v4.3.0): a bad signature outranks expiry.
 *
 * @param key undefined = no token is valid
 * @param now unix nanoseconds
 * @throws AccessTokenError with the node's text
 */
export function verifyToken(token: string, key: Buffer | undefined, now: bigint, json: TokenJson): Claims {
  const { claims, algorithm } = readToken(token, json)
  if (algorithm !== 'HS256') throw new AccessTokenError("auth token didn't specify the HS256 signing method correctly")
  const dot = token.lastIndexOf('.')
  const given = decodeSegment(token.slice(dot + 1))
  const expected = hmac(token.slice(0, dot), key ?? Buffer.alloc(0))
  if (key === undefined || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new AccessTokenError('signature is invalid')
  const problem = timeProblem(claims, now)
  if (problem !== undefined) throw new AccessTokenError(problem)
  return claims
}
