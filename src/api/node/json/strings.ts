const BACKSLASH = 0x5c
const SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/**
 * The text of a JSON string (quotes included in the span), decoded as Go does: what is no UTF-8 and what is half of a
 * pair becomes U+FFFD.
 */
export function decodeString(bytes: Buffer, from: number, to: number): string {
  // A cheap search first: names and ids hardly ever carry escapes.
  const slash = bytes.subarray(from + 1, to - 1).indexOf(BACKSLASH)
  if (slash < 0) return bytes.toString('utf8', from + 1, to - 1)
  const parsed: unknown = JSON.parse(bytes.toString('utf8', from, to))
  return String(parsed).replace(SURROGATE, '\ufffd')
}

/** Go's encoding/json matches member names without regard to case, by simple folding: ſ is s and K (Kelvin) is k. */
export const foldName = (name: string): string => name.toLowerCase().replaceAll('\u017f', 's').replaceAll('\u212a', 'k')
