/** By code points: a surrogate alone would have the bytes of the replacement character. */
const NOT_HEX = /[^0-9a-fA-F]/u

/** Why nodes refuse a text as hex with 0x, in the words of Go's decoder; undefined = they take it, the empty text too. */
export function goHexProblem(text: string): string | undefined {
  if (text === '') return undefined
  if (!text.startsWith('0x')) return 'missing 0x prefix to hex encoding'
  const wrong = NOT_HEX.exec(text.slice(2))
  if (wrong) return `encoding/hex: invalid byte: ${byteName(wrong[0])}`
  return text.length % 2 === 1 ? 'encoding/hex: odd length hex string' : undefined
}

/** The first UTF-8 byte of a character as Go names it (`U+0067 'g'`), with the character only if it is printable. */
function byteName(character: string): string {
  const byte = Buffer.from(character).at(0) ?? 0
  const code = `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`
  // The unprintable ones above 0x7f are never the first byte of a character.
  const printable = byte >= 0x20 && byte !== 0x7f
  return printable ? `${code} '${String.fromCharCode(byte)}'` : code
}
