import { AccessTokenError, type Claims, type TokenJson } from '../../../services/access-tokens/index.ts'
import { GoJsonError } from '../json/go-json-error.ts'
import { goQuote, goQuoteByte } from '../json/go-quote.ts'
import { eachElement, eachMember, kindOf } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'
import { skipSpace, validateValue } from '../json/validate.ts'

const MAP = 'map[string]interface {}'
/** Go's names for the types of an untyped document, as in its messages. */
const GO_TYPES = {
  object: MAP,
  array: '[]interface {}',
  string: 'string',
  number: 'float64',
  bool: 'bool',
  null: 'nil',
}
const STRUCT = 'endpointClaims'
/** The standard claims are embedded, which shows in Go's messages. */
const STANDARD = `${STRUCT}.RegisteredClaims`

const SPACE = Buffer.from(' ')

const refuse = (text: string): AccessTokenError => new AccessTokenError(text)

/** End of the first value; throws Go's text when it is not valid. */
function checked(bytes: Buffer, from: number): number {
  try {
    return validateValue(bytes, from)
  } catch (error) {
    throw error instanceof GoJsonError ? refuse(error.message) : error
  }
}

/** The whole text is one value: Go's Unmarshal, which treats the end of the text as if a space followed. */
function wholeValue(text: Buffer): number {
  const bytes = Buffer.concat([text, SPACE])
  const from = skipSpace(bytes, 0)
  try {
    const end = skipSpace(bytes, checked(bytes, from))
    if (end < bytes.length) throw refuse(`invalid character ${goQuoteByte(bytes[end] ?? 0)} after top-level value`)
  } catch (error) {
    if (error instanceof AccessTokenError && error.message === 'unexpected EOF')
      throw refuse('unexpected end of JSON input')
    throw error
  }
  return from
}

function algorithm(header: Buffer): string | undefined {
  const from = wholeValue(header)
  const kind = kindOf(header, from)
  if (kind === 'null') return undefined
  if (kind !== 'object') throw refuse(`json: cannot unmarshal ${kind} into Go value of type ${MAP}`)
  let found: string | undefined
  eachMember(header, from, (keyFrom, keyTo, valueFrom, valueTo) => {
    if (decodeString(header, keyFrom, keyTo) !== 'alg') return
    found = kindOf(header, valueFrom) === 'string' ? decodeString(header, valueFrom, valueTo) : undefined
  })
  return found
}

/** A wrong type is reported after everything is read; an error of a type's own reader stops the reading. */
class WrongType extends AccessTokenError {}

const wrongType = (kind: string, field: string, type: string): WrongType =>
  new WrongType(`json: cannot unmarshal ${kind} into Go struct field ${field} of type ${type}`)

/** Reads one claim from `bytes`; null leaves it unchanged. Throws AccessTokenError with Go's text. */
type ClaimReader = (claims: Claims, bytes: Buffer, from: number, to: number) => void

const textOf = (bytes: Buffer, from: number, to: number, field: string): string => {
  const kind = kindOf(bytes, from)
  if (kind === 'null') return ''
  if (kind !== 'string') throw wrongType(kind, field, 'string')
  return decodeString(bytes, from, to)
}

const text =
  (name: 'iss' | 'sub' | 'jti'): ClaimReader =>
  (claims, bytes, from, to) => {
    if (kindOf(bytes, from) === 'null') return
    const value = textOf(bytes, from, to, `${STANDARD}.${name}`)
    if (name === 'jti') claims.jti = value
  }

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/
const INT64 = 2 ** 63

/** Whole seconds as a 64-bit integer; too large values become the smallest integer, as on the nodes' machines. */
const secondsOf = (value: number): bigint => (Math.abs(value) >= INT64 ? -(2n ** 63n) : BigInt(Math.floor(value)))

const time =
  (name: 'exp' | 'nbf' | 'iat'): ClaimReader =>
  (claims, bytes, from, to) => {
    const kind = kindOf(bytes, from)
    if (kind === 'null') {
      delete claims[name]
      return
    }
    const raw = bytes.toString('utf8', from, to)
    const digits = kind === 'string' ? decodeString(bytes, from, to) : raw
    if (kind !== 'string' && kind !== 'number')
      throw refuse(`could not parse NumericData: json: cannot unmarshal ${kind} into Go value of type json.Number`)
    if (!NUMBER.test(digits))
      throw refuse(
        `could not parse NumericData: json: invalid number literal, trying to unmarshal ${goQuote(raw)} into Number`,
      )
    const value = Number(digits)
    if (!Number.isFinite(value))
      throw refuse(
        `could not convert json number value to float: strconv.ParseFloat: parsing ${goQuote(digits)}: value out of range`,
      )
    claims[name] = secondsOf(value)
  }

const audience: ClaimReader = (_claims, bytes, from) => {
  const kind = kindOf(bytes, from)
  if (kind === 'string' || kind === 'null') return
  if (kind !== 'array') throw refuse(`json: unsupported type: ${GO_TYPES[kind]}`)
  eachElement(bytes, from, (at) => {
    const element = kindOf(bytes, at)
    if (element !== 'string') throw refuse(`json: unsupported type: ${GO_TYPES[element]}`)
    return true
  })
}

const endpoints: ClaimReader = (claims, bytes, from) => {
  const kind = kindOf(bytes, from)
  if (kind !== 'array' && kind !== 'null') throw wrongType(kind, `${STRUCT}.endpoints`, '[]string')
  const named: string[] = []
  let wrong: unknown
  eachElement(bytes, from, (at, end) => {
    try {
      named.push(textOf(bytes, at, end, `${STRUCT}.endpoints`))
    } catch (error) {
      wrong ??= error
    }
    return true
  })
  if (wrong !== undefined) throw wrong
  claims.endpoints = named
}

const CLAIMS: ReadonlyMap<string, ClaimReader> = new Map([
  ['iss', text('iss')],
  ['sub', text('sub')],
  ['jti', text('jti')],
  ['aud', audience],
  ['exp', time('exp')],
  ['nbf', time('nbf')],
  ['iat', time('iat')],
  ['endpoints', endpoints],
])

/** The first value counts, the rest is ignored: Go's Decoder. Of several wrong types the first one is reported. */
function claims(payload: Buffer): Claims {
  const from = skipSpace(payload, 0)
  if (from >= payload.length) throw refuse('EOF')
  checked(payload, from)
  const read: Claims = { jti: '', endpoints: [] }
  const kind = kindOf(payload, from)
  if (kind === 'null') return read
  if (kind !== 'object') throw refuse(`json: cannot unmarshal ${kind} into Go value of type auth.${STRUCT}`)
  let wrong: unknown
  eachMember(payload, from, (keyFrom, keyTo, valueFrom, valueTo) => {
    const reader = CLAIMS.get(foldName(decodeString(payload, keyFrom, keyTo)))
    try {
      reader?.(read, payload, valueFrom, valueTo)
    } catch (error) {
      if (!(error instanceof WrongType)) throw error
      wrong ??= error
    }
  })
  if (wrong !== undefined) throw wrong
  return read
}

/** Reads a token's JSON like Go's decoder does into the node's types, with the same error texts. */
export const tokenJson: TokenJson = { algorithm, claims }
