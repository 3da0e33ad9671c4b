/** The target of a request. */
export interface RequestTarget {
  /** Decoded, without the query. */
  path: string
  /** Its escapes are no UTF-8, so that the path still has all of them. */
  isEscaped?: true
  /** From the question mark on; empty when there is none. */
  query: string
  /** Host and port of an absolute target; they replace the Host header (RFC 9112, 3.2.2). Left out: it names none. */
  authority?: string
}

const WRONG_ESCAPE = /%(?![0-9a-fA-F]{2})/

/** Undefined when the target cannot be decoded: Go's server refuses such a request itself (400). */
export function parseTarget(target: string): RequestTarget | undefined {
  if (target.startsWith('/')) return parseOrigin(target)
  // Absolute form, as sent to proxies.
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i.exec(target)
  if (!absolute) return target === '*' ? { path: '*', query: '' } : undefined
  const found = parseOrigin(target.slice(absolute[0].length))
  const [, authority] = absolute
  return found && authority ? { ...found, authority } : found
}

function parseOrigin(rest: string): RequestTarget | undefined {
  const mark = rest.indexOf('?')
  const path = mark < 0 ? rest : rest.slice(0, mark)
  const query = mark < 0 ? '' : rest.slice(mark)
  if (!path.includes('%')) return { path, query }
  if (WRONG_ESCAPE.test(path)) return undefined
  try {
    return { path: decodeURIComponent(path), query }
  } catch {
    // Escapes that are not UTF-8 are legal but match nothing that is served.
    return { path, query, isEscaped: true }
  }
}

/** The path as a router normalises it: no empty, `.` or `..` segments; a trailing slash stays. */
export function cleanPath(path: string): string {
  if (!/\/(\/|\.\.?(\/|$))/.test(path) && path.startsWith('/')) return path
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`
}

const encode = (text: string): string =>
  encodeURI(text).replace(/[?#[\]!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** A path as Go writes it into `Location`: escaped anew, byte by byte where the bytes are no UTF-8. */
export const encodePath = (path: string, isEscaped = false): string =>
  isEscaped
    ? path.replace(/%[89a-f].|%..|[^%]+/gi, (part) =>
        /^%[89a-f]/i.test(part) ? part.toUpperCase() : encode(decodeURIComponent(part)),
      )
    : encode(path)
