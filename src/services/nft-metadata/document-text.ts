/**
 * Text of a document. JSON is UTF-8; if it is not valid UTF-8 and its media type or first bytes name another charset,
 * that one is used. With a wrong charset, characters would silently be lost.
 */
export function documentText(bytes: Uint8Array, mediaType: string): string {
  const named = /;\s*charset\s*=\s*"?([^\s";,]{1,40})/i.exec(mediaType)?.[1]
  const candidates = [markOf(bytes), 'utf-8', named].filter((charset) => charset !== undefined)
  for (const charset of candidates) {
    const text = decoded(bytes, charset)
    // UTF-16 of ASCII is also valid UTF-8, with a zero after every letter.
    if (text !== undefined && (charset === named || !text.includes('\0'))) return text
  }
  return new TextDecoder().decode(bytes)
}

/** By its byte order mark. */
const markOf = ([first, second]: Uint8Array): string | undefined =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
