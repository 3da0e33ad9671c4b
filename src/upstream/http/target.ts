import { BadInputError } from '../../errors.ts'

/** Where an upstream's requests go. `host` is the only part that may be shown. */
export interface Target {
  origin: string
  host: string
  /** Full path of a request: the base URL's own path and query (they may carry a key) joined with the caller's path. */
  path(path: string): string
}

export const createTarget = (url: string): Target => {
  if (!URL.canParse(url)) throw new BadInputError('upstream URL cannot be read')
  const base = new URL(url)
  if (base.protocol !== 'http:' && base.protocol !== 'https:')
    throw new BadInputError(`upstream ${base.host}: ${base.protocol} is not spoken here, use http or https`)
  const prefix = base.pathname.replace(/\/+$/, '')
  const query = base.search.slice(1)
  const join = (path: string): string => {
    // A query alone belongs to the base URL's own path: /orders?all is not the same as /orders/?all.
    const isOwn = path === '' || path.startsWith('?')
    const full = (isOwn ? base.pathname : path.startsWith('/') ? prefix : `${prefix}/`) + path
    if (query === '') return full
    return full.includes('?') ? `${full}&${query}` : `${full}?${query}`
  }
  return { origin: base.origin, host: base.host, path: join }
}

/** Headers about one connection, in requests and answers: RFC 9110 section 7.6.1. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const

/** Of requests also the credentials for a proxy, and the headers that undici writes itself. */
const NOT_FORWARDED = new Set<string>([...HOP_BY_HOP, 'proxy-authorization', 'expect', 'host', 'content-length'])

/** The caller's headers without those that apply to one connection only. */
export const endToEndHeaders = (headers: Record<string, string>): Record<string, string> => {
  const result: Record<string, string> = {}
  let nominated: string | undefined
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase()
    const value = headers[name]
    if (value === undefined) continue
    if (lower === 'connection') nominated = value
    else if (!NOT_FORWARDED.has(lower)) result[lower] = value
  }
  for (const name of nominated?.split(',') ?? []) delete result[name.trim().toLowerCase()]
  return result
}
