/**
 * The URL of a path below a base URL. The base's query, which may be a key, stays the query: a path appended to it
 * would become part of the key, and the request would go to the base itself.
 *
 * @param path starts with a slash, or is empty: the base without trailing slashes in its path
 */
export function urlBelow(base: string, path: string): string {
  const [, place = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(base) ?? []
  let end = place.length
  while (place[end - 1] === '/') end -= 1
  return place.slice(0, end) + path + rest
}
