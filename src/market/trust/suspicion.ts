import type { ListedToken } from '../tokens/token.ts'
import { isBait } from './bait.ts'
import { hasInvisible, isAscii, mixesAlphabets, skeleton } from './lookalike.ts'

interface Texts {
  name: string
  symbol: string
}

/** Verdict on an unlisted token by its texts; undefined = no suspicion. */
export type Suspicion = (token: Texts) => 'Malicious' | 'Spam' | 'Warning' | undefined

/** Longest texts that the token list format allows. */
const NAME_LENGTH = 60
const SYMBOL_LENGTH = 20

const SOMETHING_TO_READ = /[\p{L}\p{N}]/u

const same = (text: string): string => text.trim().toLowerCase()

/** Texts by what they look like; two lists may spell the same look differently, so all spellings are kept. */
const byLook = (texts: Iterable<string>): Map<string, Set<string>> => {
  const looks = new Map<string, Set<string>>()
  for (const text of texts) {
    const look = skeleton(text)
    const spellings = looks.get(look) ?? new Set()
    looks.set(look, spellings.add(same(text)))
  }
  return looks
}

/**
 * Rules for an unlisted token, the worst first:
 * - Malicious: looks like the symbol or name of a listed token but is spelled with letters of another alphabet or with
 *   invisible characters. That is done on purpose.
 * - Spam: name or symbol is an advertisement (`bait.ts`).
 * - Warning: has a well-known symbol, or one that differs from it only in spaces and digits for letters; mixes
 *   alphabets in a word; contains invisible characters; is longer than the list format allows; has nothing to read.
 */
export const createSuspicion = (listed: readonly ListedToken[], wellKnown: Iterable<string>): Suspicion => {
  const famous = byLook(wellKnown)
  const symbols = byLook([...wellKnown, ...listed.map((token) => token.symbol)])
  const names = byLook(listed.map((token) => token.name))

  const isDisguised = (text: string, looks: ReadonlyMap<string, ReadonlySet<string>>): boolean =>
    !isAscii(text) && looks.get(skeleton(text))?.has(same(text)) === false
  const isOdd = (text: string, longest: number): boolean =>
    hasInvisible(text) || mixesAlphabets(text) || [...text].length > longest || !SOMETHING_TO_READ.test(text)

  return ({ name, symbol }) => {
    if (isDisguised(symbol, symbols) || isDisguised(name, names) || isDisguised(name, symbols)) return 'Malicious'
    if (isBait(symbol) || isBait(name)) return 'Spam'
    if (famous.has(skeleton(symbol)) || isOdd(name, NAME_LENGTH) || isOdd(symbol, SYMBOL_LENGTH)) return 'Warning'
    return undefined
  }
}
