import type { IncomingMessage } from 'node:http'
import { originPattern } from '../../../lib/http/origin-pattern.ts'

/** A node's CORS headers: like rs/cors with credentials allowed and the library's own methods and headers. */
export interface Cors {
  /** `Access-Control-…` pairs (flat) of an ordinary answer: none when its origin or method is not allowed. */
  allow(origin: string | undefined, method: string | undefined): readonly string[]
  /** Header pairs that answer a preflight; undefined when the request is none. */
  preflight(request: IncomingMessage): string[] | undefined
}

/** OPTIONS is always allowed, whatever the list says, as in the library. */
const METHODS = new Set(['GET', 'POST', 'HEAD', 'OPTIONS'])
const HEADERS = ['Origin', 'Accept', 'Content-Type', 'X-Requested-With']
const VARY_PREFLIGHT = [
  'Vary',
  'Origin',
  'Vary',
  'Access-Control-Request-Method',
  'Vary',
  'Access-Control-Request-Headers',
]

/** Names as the library writes them; commas and spaces end them, characters that are invalid in a name are skipped. */
const namesIn = (list: string): string[] =>
  list.split(/[ ,]/).flatMap((text) => {
    const name = text
      .toLowerCase()
      .replace(/^[a-z]|(?<=[-_])[a-z]/g, (letter) => letter.toUpperCase())
      .replace(/[^-\w]/g, '')
    return name === '' ? [] : [name]
  })

/** If a header is repeated, the first one counts. */
const first = (request: IncomingMessage, name: string): string => request.headersDistinct[name]?.[0] ?? ''

/** The method that a preflight asks for; empty when the request is none. */
export const preflightMethod = (request: IncomingMessage): string =>
  request.method === 'OPTIONS' ? first(request, 'access-control-request-method') : ''

/**
 * `withAuthorization`: browsers cannot send a token with a preflight, so where tokens are required the header is
 * allowed (a node does not allow it, so browsers cannot use its tokens).
 */
export function createCors(origins: readonly string[], options: { withAuthorization: boolean }): Cors {
  const any = origins.includes('*')
  const patterns = origins.map(originPattern)
  const allowedHeaders = new Set([...HEADERS, ...(options.withAuthorization ? ['Authorization'] : [])])
  const nothing: readonly string[] = []
  const everyone = ['Access-Control-Allow-Credentials', 'true', 'Access-Control-Allow-Origin', '*']
  const allowed = (origin: string): boolean => any || patterns.some((pattern) => pattern.test(origin))
  return {
    allow: (origin, method = '') => {
      if (origin === undefined || origin === '' || !METHODS.has(method)) return nothing
      if (any) return everyone
      if (!allowed(origin)) return nothing
      return ['Access-Control-Allow-Credentials', 'true', 'Access-Control-Allow-Origin', origin]
    },
    preflight: (request) => {
      const wanted = preflightMethod(request)
      if (wanted === '') return undefined
      const asked = namesIn(first(request, 'access-control-request-headers'))
      const origin = first(request, 'origin')
      const accepted =
        origin !== '' &&
        allowed(origin) &&
        METHODS.has(wanted.toUpperCase()) &&
        asked.every((name) => allowedHeaders.has(name))
      if (!accepted) return VARY_PREFLIGHT
      const names = asked.length === 0 ? [] : ['Access-Control-Allow-Headers', asked.join(', ')]
      return [
        'Access-Control-Allow-Credentials',
        'true',
        ...names,
        'Access-Control-Allow-Methods',
        wanted.toUpperCase(),
        'Access-Control-Allow-Origin',
        any ? '*' : origin,
        ...VARY_PREFLIGHT,
      ]
    },
  }
}
