import { isSpace } from './validate.ts'

/**
 * Well-formed JSON as Go echoes it (ids, params): space between tokens removed, `<`, `>`, `&`, U+2028 and U+2029
 * escaped, every other byte unchanged, including invalid UTF-8.
 */
export function compactJson(bytes: Uint8Array): Buffer {
  // latin1 text represents the bytes one to one.
  const parts: string[] = []
  let inString = false
  let kept = 0
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flush = (to: number): void => {
    if (to > kept) parts.push(source.toString('latin1', kept, to))
  }
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at] ?? 0
    if (byte === 0x22) inString = !inString
    else if (byte === 0x5c) at += 1
    else if (!inString && isSpace(byte)) {
      flush(at)
      kept = at + 1
    } else if (byte === 0x3c || byte === 0x3e || byte === 0x26) {
      flush(at)
      parts.push(`\\u00${byte.toString(16)}`)
      kept = at + 1
    } else if (byte === 0xe2 && source[at + 1] === 0x80 && ((source[at + 2] ?? 0) & 0xfe) === 0xa8) {
      flush(at)
      parts.push(source[at + 2] === 0xa8 ? '\\u2028' : '\\u2029')
      at += 2
      kept = at + 1
    }
  }
  if (kept === 0 && parts.length === 0) return source
  flush(source.length)
  return Buffer.from(parts.join(''), 'latin1')
}
