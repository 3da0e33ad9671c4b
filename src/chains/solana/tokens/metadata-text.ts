/** Name and symbol as their author wrote them: untrusted, of any length. */
export interface TokenText {
  name: string
  symbol: string
}

/** Borsh string: u32 length, then UTF-8; Metaplex pads to a fixed size with NUL. */
const readString = (bytes: Buffer, at: number): { text: string; next: number } | undefined => {
  if (at + 4 > bytes.length) return undefined
  const next = at + 4 + bytes.readUInt32LE(at)
  if (next > bytes.length) return undefined
  return { text: bytes.toString('utf8', at + 4, next), next }
}

/** The two strings at the start of every kind of token metadata; undefined when the bytes are too short. */
export const readMetadataText = (bytes: Buffer): TokenText | undefined => {
  const name = readString(bytes, 0)
  const symbol = name && readString(bytes, name.next)
  return symbol ? { name: name.text, symbol: symbol.text } : undefined
}
