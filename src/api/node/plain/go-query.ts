const WRONG_ESCAPE = /%(?![0-9a-fA-F]{2})/

/** A query (with its question mark) as Go's `URL.Query` reads it: drops parts with a semicolon or a broken escape. */
export function goQuery(query: string): URLSearchParams {
  const parts = query.replace(/^\?/, '').split('&')
  return new URLSearchParams(parts.filter((part) => !part.includes(';') && !WRONG_ESCAPE.test(part)).join('&'))
}
