/**
 * The URL of a path below a base URL. A query of the base, which may be a key, stays a query: put behind it, the path would be
 * the end of that key, and the base's own place would be asked.
 *
 * @param path begins with a slash, or is empty: the base without slashes at the end of its path
 */
export function urlBelow(base: string, path: string): string {
  const [, place = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(base) ?? []
  let end = place.length
  while (place[end - 1] === '/') end -= 1
  return place.slice(0, end) + path + rest
}
