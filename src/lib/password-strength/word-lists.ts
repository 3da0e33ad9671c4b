import { createRequire } from 'node:module'

/** Neighbours of each key, by direction; null where there is none. */
export type Keyboard = ReadonlyMap<string, readonly (string | null)[]>

export interface WordLists {
  /** Rank of a word in the list where it is most common, from 1. */
  rank(word: string): number | undefined
  /** True when some word begins with these characters. Reliable only for up to `PREFIX` characters. */
  begins(prefix: string): boolean
  /** Characters of the longest word. */
  longest: number
  keyboards: readonly { name: string; keys: Keyboard }[]
}

/** Long enough to leave few words, short enough to keep in memory. */
export const PREFIX = 4

const LISTS = ['passwords', 'english', 'male_names', 'female_names', 'surnames']
const KEYBOARDS = ['qwerty', 'dvorak', 'keypad', 'mac_keypad']

type Package = Readonly<Record<string, unknown>>

const require = createRequire(import.meta.url)

function readRanks(lists: Package): Map<string, number> {
  const ranks = new Map<string, number>()
  for (const name of LISTS) {
    const list = lists[name]
    if (!Array.isArray(list)) throw new Error(`zxcvbn: no word list ${name}`)
    // A word that occurs twice in a list counts at its last position.
    const own = new Map(list.map((word, index) => [String(word).toLowerCase(), index + 1] as const))
    for (const [word, rank] of own) ranks.set(word, Math.min(rank, ranks.get(word) ?? rank))
  }
  return ranks
}

function readKeyboard(graphs: Package, name: string): Keyboard {
  const graph = graphs[name]
  if (typeof graph !== 'object' || graph === null) throw new Error(`zxcvbn: no keyboard ${name}`)
  return new Map(Object.entries(graph as Record<string, (string | null)[]>))
}

let loaded: WordLists | undefined

/**
 * Word lists and keyboards of zxcvbn 3.5, the last release that estimates entropy: 85,000 words, the same lists as in
 * the node's Go port. Read on first use, so that a server without passwords does not pay for them.
 */
export function wordLists(): WordLists {
  if (loaded) return loaded
  const ranks = readRanks(require('zxcvbn/lib/frequency_lists.js') as Package)
  const graphs = require('zxcvbn/lib/adjacency_graphs.js') as Package
  const beginnings = new Set<string>()
  let longest = 0
  for (const word of ranks.keys()) {
    longest = Math.max(longest, word.length)
    beginnings.add(word.slice(0, PREFIX))
  }
  loaded = {
    rank: (word) => ranks.get(word),
    begins: (prefix) => beginnings.has(prefix),
    longest,
    keyboards: KEYBOARDS.map((name) => ({ name, keys: readKeyboard(graphs, name) })),
  }
  return loaded
}
