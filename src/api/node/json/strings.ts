const BACKSLASH = 0x5c
const REPLACEMENT = '\ufffd'
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd] as const
const SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const isBetween = (byte: number | undefined, least: number, most: number): boolean =>
  byte !== undefined && byte >= least && byte <= most

/** Bytes of the character at a position; 0 = invalid UTF-8 (overlong form, half of a surrogate pair, truncated). */
function characterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const length = isBetween(lead, 0xc2, 0xdf) ? 2 : isBetween(lead, 0xe0, 0xef) ? 3 : isBetween(lead, 0xf0, 0xf4) ? 4 : 0
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (length === 0 || !isBetween(bytes[at + 1], least, most)) return 0
  for (let next = at + 2; next < at + length; next += 1) if (!isBetween(bytes[next], 0x80, 0xbf)) return 0
  return length
}

/** Go replaces each invalid byte with U+FFFD, this runtime uses one for all bytes of a truncated character. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes(REPLACEMENT)) return text
  const whole = Buffer.alloc(bytes.length * REPLACEMENT_BYTES.length)
  let end = 0
  let kept = 0
  const keep = (to: number): void => {
    if (to > kept) end += bytes.copy(whole, end, kept, to)
  }
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    at += length || 1
    if (length > 0) continue
    keep(at - 1)
    kept = at
    whole[end] = REPLACEMENT_BYTES[0]
    whole[end + 1] = REPLACEMENT_BYTES[1]
    whole[end + 2] = REPLACEMENT_BYTES[2]
    end += REPLACEMENT_BYTES.length
  }
  keep(bytes.length)
  return whole.toString('utf8', 0, end)
}

/**
 * The text of a JSON string (the span includes the quotes), decoded as Go does: each invalid byte and each half of a
 * surrogate pair becomes U+FFFD.
 */
export function decodeString(bytes: Buffer, from: number, to: number): string {
  // A cheap search first: names and ids rarely contain escapes.
  const slash = bytes.subarray(from + 1, to - 1).indexOf(BACKSLASH)
  const text = textOf(bytes.subarray(from, to))
  if (slash < 0) return text.slice(1, -1)
  const parsed: unknown = JSON.parse(text)
  return String(parsed).replace(SURROGATE, REPLACEMENT)
}

/** Go's encoding/json matches member names case-insensitively, by simple folding: ſ is s and K (Kelvin) is k. */
export const foldName = (name: string): string => name.toLowerCase().replaceAll('\u017f', 's').replaceAll('\u212a', 'k')
