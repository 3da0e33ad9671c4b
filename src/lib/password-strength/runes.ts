/** A character of a byte string, as in Go's `range`. */
export interface Rune {
  /** Invalid UTF-8 becomes U+FFFD, one per byte. */
  text: string
  /** Offset of its first byte. */
  at: number
}

/** Smallest code point that may take this many bytes, by the number of bytes after the first. */
const LEAST = [0, 0x80, 0x800, 0x10000]

function following(first: number): number {
  if (first >= 0xc2 && first < 0xe0) return 1
  if (first >= 0xe0 && first < 0xf0) return 2
  return first >= 0xf0 && first < 0xf5 ? 3 : 0
}

/** The code point at `at`; -1 when the bytes there are not UTF-8. */
function codePoint(bytes: Uint8Array, at: number): { code: number; size: number } {
  const first = bytes[at] ?? 0
  if (first < 0x80) return { code: first, size: 1 }
  const more = following(first)
  let code = first & (0x3f >> more)
  for (let index = 1; index <= more; index += 1) {
    const next = bytes[at + index] ?? 0
    if ((next & 0xc0) !== 0x80) return { code: -1, size: 1 }
    code = (code << 6) | (next & 0x3f)
  }
  const wrong = more === 0 || code < (LEAST[more] ?? 0) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
  return wrong ? { code: -1, size: 1 } : { code, size: more + 1 }
}

/** Splits bytes into characters. TextDecoder would merge several invalid bytes into one. */
export function runesOf(bytes: Uint8Array): Rune[] {
  const runes: Rune[] = []
  for (let at = 0; at < bytes.length; ) {
    const { code, size } = codePoint(bytes, at)
    runes.push({ text: String.fromCodePoint(code < 0 ? 0xfffd : code), at })
    at += size
  }
  return runes
}

/** A character in lower case; always a single character. */
export const lowerRune = (text: string): string =>
  String.fromCodePoint(text.toLowerCase().codePointAt(0) ?? text.codePointAt(0) ?? 0)

export const isUpper = (text: string): boolean => /^\p{Lu}$/u.test(text)
export const isLower = (text: string): boolean => /^\p{Ll}$/u.test(text)
export const isDigit = (text: string): boolean => /^\p{Nd}$/u.test(text)
