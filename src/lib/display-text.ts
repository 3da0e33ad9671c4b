/** Control and format characters (bidi overrides, zero width), surrogates, private use, and U+FFFD for broken UTF-8. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\uFFFD]/gu
const tags = /<[^<>]*>/g

/**
 * Makes attacker-chosen text (token names, symbols) safe to show: no controls, bidi overrides, zero-width characters or
 * HTML tags; one line, at most `most` characters. Empty when nothing is left.
 */
export function displayText(text: string, most: number): string {
  const start = text.slice(0, most * 8)
  const clean = start
    .replace(/[\t\r\n\u2028\u2029]/g, ' ')
    .replace(unsafe, '')
    .replace(tags, '')
    .replace(/[<>]/g, '')
  return [...clean.replace(/\s+/gu, ' ').trim()].slice(0, most).join('').trim()
}
