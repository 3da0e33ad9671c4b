const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}
const ESCAPED = /[<>&\u2028\u2029]/g

/** What Go's encoder escapes besides what JSON demands; outside of strings these characters do not occur in JSON. */
export const escapeHtml = (json: string): string =>
  json.replace(ESCAPED, (character) => ESCAPES[character] ?? character)

/** A value as Go's encoder writes it. Members keep their order, except names that are array indices: write maps of those by hand. */
export const goJson = (value: unknown): string => escapeHtml(JSON.stringify(value))
