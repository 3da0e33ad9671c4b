import { documentText } from './document-text.ts'
import { MetadataFailure } from './metadata-failure.ts'

/** Where a token's document is: at a URL, or in the URI itself; `unescaped` keeps the escapes, if there are any. */
export type MetadataPlace = { kind: 'url'; url: string } | { kind: 'inline'; text: string; unescaped?: string }

export interface Gateways {
  /** Ends in a slash; followed by a CID and a path. */
  ipfs: string
  /** Ends in a slash; followed by a transaction id and a path. */
  arweave: string
}

export const PUBLIC_GATEWAYS: Gateways = { ipfs: 'https://ipfs.io/ipfs/', arweave: 'https://arweave.net/' }

/**
 * http and https unchanged, ipfs and ar through a gateway, data: decoded here.
 * @param maxBytes largest document that a data: URI may hold
 * @throws MetadataFailure
 */
export function metadataPlace(uri: string, gateways: Gateways, maxBytes: number): MetadataPlace {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined) throw new MetadataFailure('INVALID_TOKEN_URI', 'the URI has no scheme')
  const rest = uri.slice(scheme.length + 1)
  if (scheme === 'data') return { kind: 'inline', ...dataTexts(rest, maxBytes) }
  if (scheme === 'ipfs') return atUrl(gateways.ipfs + rest.replace(/^\/*(ipfs\/)*/, ''), gateways.ipfs)
  if (scheme === 'ar') return atUrl(gateways.arweave + rest.replace(/^\/*/, ''), gateways.arweave)
  if (scheme === 'http' || scheme === 'https') return atUrl(uri, '')
  throw new MetadataFailure('INVALID_TOKEN_URI_SCHEME', `scheme ${scheme.slice(0, 20)} is not read`)
}

/** No host accepts more, and contracts can write megabytes. */
const LONGEST_URL = 65_536

/** The path stays below the gateway's: dots must not climb out of its folder. */
function atUrl(text: string, base: string): MetadataPlace {
  if (text.length > LONGEST_URL) throw new MetadataFailure('INVALID_TOKEN_URI', 'the URI is too long')
  const url = URL.canParse(text) ? new URL(text).href : undefined
  // In normalised form: the operator may have written it differently.
  const folder = base === '' ? '' : new URL(base).href
  if (url === undefined || !url.startsWith(folder) || url === folder)
    throw new MetadataFailure('INVALID_TOKEN_URI', 'the URI cannot be read')
  return { kind: 'url', url }
}

/** RFC 2397, and the variant of contracts: JSON that was never percent-encoded. */
function dataTexts(rest: string, maxBytes: number): { text: string; unescaped?: string } {
  const comma = rest.indexOf(',')
  if (comma < 0) throw new MetadataFailure('INVALID_TOKEN_URI', 'the data URI has no data')
  const [head, payload] = [rest.slice(0, comma), rest.slice(comma + 1)]
  const isBase64 = /;\s*base64\s*$/i.test(head)
  if (payload.length > (isBase64 ? Math.ceil(maxBytes / 3) * 4 : 3 * maxBytes)) throw tooLarge()
  const bytes = isBase64 ? Buffer.from(percentDecoded(payload), 'base64') : undefined
  const text = bytes ? documentText(bytes, head) : percentDecoded(payload, head)
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge()
  const isOther = !isBase64 && text !== payload && Buffer.byteLength(payload) <= maxBytes
  return { text, ...(isOther ? { unescaped: payload } : {}) }
}

const tooLarge = (): MetadataFailure => new MetadataFailure('METADATA_CONTENT_TOO_LARGE', 'the data URI is too large')

function percentDecoded(text: string, mediaType?: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Percent signs that were not meant as escapes, unless the URI names another charset for its bytes.
    return mediaType !== undefined && OTHER_CHARSET.test(mediaType) && ASCII.test(text)
      ? documentText(percentBytes(text), mediaType)
      : text
  }
}

const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8\b)/i
const ASCII = /^[\x20-\x7e]*$/

/**
 * Byte by byte: calling a function for each of a million escapes takes seconds, and no request is answered meanwhile.
 */
function percentBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  let kept = 0
  for (let at = 0; at < bytes.length; kept += 1) {
    const escaped = bytes[at] === PERCENT ? 16 * digitOf(bytes[at + 1]) + digitOf(bytes[at + 2]) : Number.NaN
    bytes[kept] = Number.isNaN(escaped) ? (bytes[at] ?? 0) : escaped
    at += Number.isNaN(escaped) ? 1 : 3
  }
  return bytes.subarray(0, kept)
}

const PERCENT = 0x25

/** Value of an ASCII hexadecimal digit; NaN for anything else. */
function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}
