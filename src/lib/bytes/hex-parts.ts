/** The values of `bytes` bytes each that a hex text strings together. */
export function hexParts(text: string, bytes: number): string[] {
  const digits = 2 * bytes
  // An array that grows by `push` takes five times as much memory.
  if (text.length === digits) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; at += digits) parts.push(text.slice(at, at + digits))
  return parts
}
