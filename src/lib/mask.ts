/** Replaces something secret. */
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
/** A name or an address, and a port. Anything else is the start of a password that contains a slash. */
const HOST = /^(\[[0-9a-f:.%]+\]|[^:@]+)(:\d{0,5})?$/i
/** Matches names and values separately, so that one pass over a long query is enough. */
const QUERY_PART = /([?&])([^?=&#\s]*)=([^&#\s]*)/g
/** In a name: its value is probably a secret. */
export const SECRET_NAME = /key|token|secret|password|auth/i

/**
 * Shows only scheme, host and port of a URL: user, password, path and query of an upstream are often a key.
 * Text that is not a URL is hidden completely.
 */
export function maskUrl(url: string): string {
  const parts = URL_PARTS.exec(url.trim())
  const scheme = parts?.[1]
  const host = parts?.[2]
  const rest = parts?.[3] ?? ''
  if (scheme === undefined || host === undefined || !HOST.test(host) || rest.split('?', 1)[0]?.includes('@'))
    return MASK
  if (rest === '' || rest === '/') return `${scheme}${host}${rest}`
  // A base URL that ends in a slash is shown with one.
  return `${scheme}${host}/${MASK}${/^[^?#]*\/$/.test(rest) ? '/' : ''}`
}

/** Shows a path unchanged, and a URL without user, password and query: its path tells what is read there. */
export function maskSource(source: string): string {
  if (!source.includes('://')) return source
  const shown = maskUrl(source)
  const [, scheme, host, rest = ''] = URL_PARTS.exec(source.trim()) ?? []
  if (shown === MASK || shown === `${scheme}${host}${rest}`) return shown
  const [path = '', hidden] = rest.split(/[?#](.*)/s)
  return `${scheme}${host}${path}${hidden === undefined ? '' : `?${MASK}`}`
}

/** A place in a program, as stacks of errors name it: without it nobody finds what failed. */
const PLACE = /^file:\/\/\/[^?#@]*$/

/** Masks every URL in free text, such as the message of a network error. */
export function maskUrlsIn(text: string): string {
  return text.includes('://') ? text.replace(URL_IN_TEXT, (url) => (PLACE.test(url) ? url : maskUrl(url))) : text
}

/** Keeps a request path readable, but hides query values whose names suggest credentials. */
export function maskQuery(path: string): string {
  if (!path.includes('?')) return path
  return path.replace(QUERY_PART, (part, mark: string, name: string) =>
    SECRET_NAME.test(name) ? `${mark}${name}=${MASK}` : part,
  )
}
