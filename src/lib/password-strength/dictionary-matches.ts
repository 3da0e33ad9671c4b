import { choose, type Match } from './match.ts'
import { isLower, isUpper, lowerRune } from './runes.ts'
import { PREFIX, wordLists } from './word-lists.ts'

const COMMON_CASES = [/^[A-Z][^A-Z]+$/, /^[A-Z]+$/]

/** Bits for the capitalisation of a word. */
function caseEntropy(word: readonly string[]): number {
  const upper = word.filter(isUpper).length
  if (upper === 0) return 0
  const text = word.join('')
  if (COMMON_CASES.some((common) => common.test(text))) return 1
  const lower = word.filter(isLower).length
  let ways = 0
  for (let count = 0; count <= Math.min(upper, lower); count += 1) ways += choose(upper + lower, count)
  return ways < 1 ? 1 : Math.log2(ways)
}

/** Every listed word in the text; positions count characters, not bytes. */
export function dictionaryMatches(characters: readonly string[]): Match[] {
  const lists = wordLists()
  const lower = characters.map(lowerRune)
  const matches: Match[] = []
  for (let from = 0; from < lower.length; from += 1) {
    let word = ''
    for (let to = from; to < lower.length && word.length <= lists.longest; to += 1) {
      word += lower[to] ?? ''
      if (to - from === PREFIX - 1 && !lists.begins(word)) break
      const rank = lists.rank(word)
      if (rank === undefined) continue
      matches.push({ from, to, entropy: Math.log2(rank) + caseEntropy(characters.slice(from, to + 1)) })
    }
  }
  return matches
}
