/** Where a request wants to go. */
export interface RequestTarget {
  /** Decoded, without the query. */
  path: string
  /** From the question mark on; empty when there is none. */
  query: string
}

const WRONG_ESCAPE = /%(?![0-9a-fA-F]{2})/

/** Undefined when the target cannot be decoded: Go's server refuses such a request itself (400). */
export function parseTarget(target: string): RequestTarget | undefined {
  let rest = target
  if (!rest.startsWith('/')) {
    // Absolute form, as sent to proxies.
    const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(rest)
    if (!authority) return rest === '*' ? { path: '*', query: '' } : undefined
    rest = rest.slice(authority[0].length)
  }
  const mark = rest.indexOf('?')
  const path = mark < 0 ? rest : rest.slice(0, mark)
  const query = mark < 0 ? '' : rest.slice(mark)
  if (!path.includes('%')) return { path, query }
  if (WRONG_ESCAPE.test(path)) return undefined
  try {
    return { path: decodeURIComponent(path), query }
  } catch {
    // Escapes that are no UTF-8 are legal but name nothing that is served.
    return { path, query }
  }
}

/** The path as a router would have it: no empty, `.` or `..` segments; a slash at the end stays. */
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

/** A decoded path as Go writes it into `Location`. */
export const encodePath = (path: string): string =>
  encodeURI(path).replace(/[?#[\]]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
