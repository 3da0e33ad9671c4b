const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}
const ESCAPED = /[<>&\u2028\u2029]/g

/** Escapes what Go's encoder escapes beyond the JSON standard; in JSON these characters occur only inside strings. */
export const escapeHtml = (json: string): string =>
  json.replace(ESCAPED, (character) => ESCAPES[character] ?? character)

/** A value as Go's encoder writes it. Members keep their order, except array indices as names: write those by hand. */
export const goJson = (value: unknown): string => escapeHtml(JSON.stringify(value))
