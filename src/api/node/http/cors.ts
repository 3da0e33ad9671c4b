import type { IncomingMessage } from 'node:http'

/** What a node says to browsers: as rs/cors does with credentials allowed and the library's own methods and headers. */
export interface Cors {
  /** `Access-Control-…` pairs (flat) of an ordinary answer: none when its origin may not read it. */
  allow(origin: string | undefined): readonly string[]
  /** Header pairs that answer a preflight; undefined when the request is none. */
  preflight(request: IncomingMessage): string[] | undefined
}

/** OPTIONS is always allowed, whatever the list says: so the library. */
const METHODS = new Set(['GET', 'POST', 'HEAD', 'OPTIONS'])
const HEADERS = ['origin', 'accept', 'content-type', 'x-requested-with']
const VARY_PREFLIGHT = [
  'Vary',
  'Origin',
  'Vary',
  'Access-Control-Request-Method',
  'Vary',
  'Access-Control-Request-Headers',
]

const canonical = (name: string): string =>
  name
    .toLowerCase()
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-')

/** `https://*.example.org` allows whatever stands for the star; only one star counts. */
const matcherOf = (pattern: string): ((origin: string) => boolean) => {
  const lower = pattern.toLowerCase()
  const star = lower.indexOf('*')
  if (star < 0) return (origin) => origin === lower
  const [before, after] = [lower.slice(0, star), lower.slice(star + 1)]
  return (origin) =>
    origin.length >= before.length + after.length && origin.startsWith(before) && origin.endsWith(after)
}

/**
 * `withAuthorization`: browsers cannot send a token with a preflight, so where tokens are required the header is allowed
 * (a node does not, and its tokens are of no use to browsers).
 */
export function createCors(origins: readonly string[], options: { withAuthorization: boolean }): Cors {
  const any = origins.includes('*')
  const matchers = origins.map(matcherOf)
  const allowedHeaders = new Set([...HEADERS, ...(options.withAuthorization ? ['authorization'] : [])])
  const nothing: readonly string[] = []
  const everyone = ['Access-Control-Allow-Credentials', 'true', 'Access-Control-Allow-Origin', '*']
  const allowed = (origin: string): boolean => any || matchers.some((matches) => matches(origin.toLowerCase()))
  return {
    allow: (origin) => {
      if (origin === undefined || origin === '') return nothing
      if (any) return everyone
      if (!allowed(origin)) return nothing
      return ['Access-Control-Allow-Credentials', 'true', 'Access-Control-Allow-Origin', origin]
    },
    preflight: ({ method, headers }) => {
      const wanted = headers['access-control-request-method']
      if (method !== 'OPTIONS' || wanted === undefined || wanted === '') return undefined
      const asked = (headers['access-control-request-headers'] ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
      const { origin } = headers
      const accepted =
        origin !== undefined &&
        origin !== '' &&
        allowed(origin) &&
        METHODS.has(wanted.toUpperCase()) &&
        asked.every((name) => allowedHeaders.has(name.toLowerCase()))
      if (!accepted) return VARY_PREFLIGHT
      const names = asked.length === 0 ? [] : ['Access-Control-Allow-Headers', asked.map(canonical).join(', ')]
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
