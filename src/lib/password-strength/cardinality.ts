import { isDigit, isLower, isUpper, type Rune } from './runes.ts'

/** Number of possible characters for an attacker who knows only which kinds are used. */
export function cardinality(runes: readonly Rune[]): number {
  const kinds = new Set(runes.map(({ text }) => (isLower(text) ? 26 : isDigit(text) ? 10 : isUpper(text) ? 27 : 33)))
  // Upper case counts 26, too; the set needs another number to tell it from lower case.
  return [...kinds].reduce((sum, kind) => sum + (kind === 27 ? 26 : kind), 0)
}
