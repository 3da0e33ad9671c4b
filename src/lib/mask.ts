/** What stands in place of something secret. */
export const MASK = '***'

/** Headers that carry credentials, lower case. */
export const SECRET_HEADERS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-firebase-appcheck',
  'x-glacier-api-key',
  'x-core-api-key',
  'x-api-key',
  'x-cg-demo-api-key',
  'x-cg-pro-api-key',
] as const

const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`\\]+/gi
const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)([/?#].*)?$/is
/** A name or an address, and a port. What else stands there is the beginning of a password with a slash in it. */
const HOST = /^(\[[0-9a-f:.%]+\]|[^:@]+)(:\d{0,5})?$/i
/** Names and values apart, so that one pass over a long query is enough. */
const QUERY_PART = /([?&])([^?=&#\s]*)=([^&#\s]*)/g
const SECRET_NAME = /key|token|secret|password|auth/i

/**
 * Shows a URL by scheme, host and port only: user, password, path and query of an upstream often are a key.
 * Text that is no URL is hidden whole.
 */
export function maskUrl(url: string): string {
  const parts = URL_PARTS.exec(url.trim())
  const scheme = parts?.[1]
  const host = parts?.[2]
  const rest = parts?.[3] ?? ''
  if (scheme === undefined || host === undefined || !HOST.test(host) || rest.split(/[?#]/, 1)[0]?.includes('@'))
    return MASK
  if (rest === '' || rest === '/') return `${scheme}${host}${rest}`
  // Where a base URL has to end in a slash, what is shown has to be one.
  return `${scheme}${host}/${MASK}${/^[^?#]*\/$/.test(rest) ? '/' : ''}`
}

/** Shows a path as it is, and a URL without user, password and query: its path tells a reader what is read there. */
export function maskSource(source: string): string {
  if (!source.includes('://')) return source
  const shown = maskUrl(source)
  const [, scheme, host, rest = ''] = URL_PARTS.exec(source.trim()) ?? []
  if (shown === MASK || shown === `${scheme}${host}${rest}`) return shown
  const [path = '', hidden] = rest.split(/[?#](.*)/s)
  return `${scheme}${host}${path}${hidden === undefined ? '' : `?${MASK}`}`
}

/** Masks every URL inside free text, such as the message of a network error. */
export function maskUrlsIn(text: string): string {
  return text.includes('://') ? text.replace(URL_IN_TEXT, (url) => maskUrl(url)) : text
}

/** Keeps a request path readable, but hides query values whose names say that they are credentials. */
export function maskQuery(path: string): string {
  if (!path.includes('?')) return path
  return path.replace(QUERY_PART, (part, mark: string, name: string) =>
    SECRET_NAME.test(name) ? `${mark}${name}=${MASK}` : part,
  )
}
