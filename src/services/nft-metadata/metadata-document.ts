import { displayText } from '../../lib/display-text.ts'
import { parseJsonAsWritten, WrittenNumber } from '../../lib/json/json.ts'
import type { FetchedMetadata } from '../../store/index.ts'
import { MetadataFailure } from './metadata-failure.ts'
import { uriText } from './token-uri.ts'

/** Deeper nesting is of no use for displaying a token. */
const MAX_DEPTH = 32
/**
 * Values of a document: members, and elements of lists. Two megabytes hold a million, and parsing them takes seconds
 * during which no request is answered; a contract can have such a document for each of its tokens.
 */
const MAX_VALUES = 10_000
/** Characters. Images may be embedded as data: URIs. */
const MOST = { name: 256, symbol: 64, description: 8_192, background: 64, text: 2_048, uri: 262_144 }

const MEDIA = /^(https?:|ipfs:|ar:|data:(image|video|audio)\/)/i
const LINK = /^https?:/i

type Members = Omit<FetchedMetadata, 'status' | 'tokenUri' | 'retryAt'>

/**
 * Members of a metadata document as ERC-721, ERC-1155 and the marketplaces name them. The content is untrusted: text is
 * cleaned for display; URIs of schemes that run code and values of the wrong type are left out. Numbers stay as
 * written: many do not fit a double, and the text keeps all digits.
 * @throws MetadataFailure when it is not JSON, not an object, nested too deeply or has too many values
 */
export function readDocument(text: string): Members {
  const document = parse(text)
  const words = (name: string, most: number): string | undefined => {
    const value = numberText(document[name]) ?? document[name]
    return typeof value === 'string' ? displayText(value, most) : undefined
  }
  const uri = (names: readonly string[], allowed: RegExp): string | undefined =>
    names.map((name) => uriOf(document[name], allowed)).find((found) => found !== undefined)
  const decimals = Number(numberText(document['decimals']) ?? Number.NaN)
  return filled({
    name: words('name', MOST.name),
    symbol: words('symbol', MOST.symbol),
    description: words('description', MOST.description),
    background: words('background_color', MOST.background) ?? words('background', MOST.background),
    imageUri: uri(['image', 'image_url', 'imageUri'], MEDIA),
    animationUri: uri(['animation_url', 'animationUri'], MEDIA),
    externalUrl: uri(['external_url', 'externalUrl'], LINK),
    attributes: jsonText(document['attributes']),
    properties: jsonText(document['properties']),
    decimals: isDecimals(decimals) ? decimals : undefined,
  })
}

function parse(text: string): Record<string, unknown> {
  const { depth, values } = shapeOf(text)
  if (depth > MAX_DEPTH) throw new MetadataFailure('INVALID_METADATA', 'the document is nested too deeply')
  if (values > MAX_VALUES) throw new MetadataFailure('METADATA_CONTENT_TOO_LARGE', 'the document has too many values')
  let document: unknown
  try {
    document = parseJsonAsWritten(text)
  } catch {
    throw new MetadataFailure('INVALID_METADATA_JSON', 'the document is no JSON')
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new MetadataFailure('INVALID_METADATA', 'the document is no object')
  return document as Record<string, unknown>
}

/** Counted in the text, because the check would be too late once a parser has built the values. */
function shapeOf(text: string): { depth: number; values: number } {
  let depth = 0
  let deepest = 0
  let values = 0
  let inText = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '"') inText = !inText
    else if (inText) at += sign === '\\' ? 1 : 0
    else if (sign === ',') values += 1
    else if (sign === '[' || sign === '{') {
      values += 1
      deepest = Math.max(deepest, ++depth)
    } else if (sign === ']' || sign === '}') depth -= 1
  }
  return { depth: deepest, values }
}

function uriOf(value: unknown, allowed: RegExp): string | undefined {
  if (typeof value !== 'string' || value.length > MOST.uri) return undefined
  const uri = uriText(value)
  return allowed.test(uri) ? uri : undefined
}

const numberText = (value: unknown): string | undefined => {
  if (value instanceof WrittenNumber) return value.text
  return typeof value === 'number' ? String(value) : undefined
}

const isDecimals = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 255

/** Lists and objects as JSON text with cleaned strings; anything else is left out. */
const jsonText = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && !(value instanceof WrittenNumber) ? written(value) : undefined

/** Like JSON.stringify, but every number as written in the document. */
function written(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text
  if (typeof value === 'string') return JSON.stringify(displayText(value, MOST.text))
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = new Map(Object.entries(value).map(([key, member]) => [displayText(key, MOST.name), member]))
  return `{${[...members].map(([key, member]) => `${JSON.stringify(key)}:${written(member)}`).join(',')}}`
}

function filled(members: { [K in keyof Members]: Members[K] | undefined }): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''))
}
