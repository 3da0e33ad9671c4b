import { decodeString, foldName } from './strings.ts'

/** No name, method or version that means anything is longer. */
const LONGEST = 256
const QUOTE = 0x22

/** The text of a short string; undefined for a longer one, one that cannot be decoded, and anything else. */
export function shortText(bytes: Buffer, from: number, to: number): string | undefined {
  if (bytes[from] !== QUOTE || to - from > LONGEST) return undefined
  try {
    return decodeString(bytes, from, to)
  } catch {
    return undefined
  }
}

/** Whether a string is this ASCII text, without escapes: creates no string. */
export function isPlain(bytes: Buffer, from: number, to: number, text: string): boolean {
  if (to - from !== text.length + 2) return false
  for (let index = 0; index < text.length; index += 1)
    if (bytes[from + 1 + index] !== text.charCodeAt(index)) return false
  return true
}

/** Name of a member as nodes understand it, whatever its case and escapes; `usual` ones are recognised soonest. */
export function memberName(bytes: Buffer, from: number, to: number, usual: readonly string[]): string | undefined {
  for (const name of usual) if (isPlain(bytes, from, to, name)) return name
  const text = shortText(bytes, from, to)
  return text === undefined ? undefined : foldName(text)
}
