const SHORT: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u000b': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

const quoted = (character: string): string => {
  const short = SHORT[character]
  if (short !== undefined) return short
  if (PRINTABLE.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** A text as Go prints it with `%q`: a node's error messages contain names in this form. */
export const goQuote = (text: string): string => `"${Array.from(text, quoted).join('')}"`

/** A byte as Go's JSON decoder names it in an error: `'x'`, `'\x00'`, `'ï'` for 0xEF. */
export const goQuoteByte = (byte: number): string => {
  const character = String.fromCharCode(byte)
  if (character === "'") return "'\\''"
  return character === '"' ? `'"'` : `'${quoted(character)}'`
}
