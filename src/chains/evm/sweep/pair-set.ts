import { inTurns } from '../../../lib/waiting/in-turns.ts'
import type { Pair } from './sweep-tally.ts'

/** A thousand listed tokens without code, read for five hundred owners, are half a million pairs. */
const PAIRS_PER_TURN = 5_000

/** Pairs grouped by token: a string per pair would take ten times as long as all other work on it. */
export interface PairSet {
  add(pair: Pair): void
  has(pair: Pair): boolean
}

export function createPairSet(): PairSet {
  const owners = new Map<string, Set<string>>()
  return {
    add({ token, owner }) {
      const known = owners.get(token)
      if (known) known.add(owner)
      else owners.set(token, new Set([owner]))
    },
    has: ({ token, owner }) => owners.get(token)?.has(owner) === true,
  }
}

/** Runs `work` for each of many pairs, with turns for other work in between. */
export const eachPair = (pairs: readonly Pair[], work: (pair: Pair) => void): Promise<void> =>
  inTurns(pairs, PAIRS_PER_TURN, work)

export async function pairSetOf(pairs: readonly Pair[]): Promise<PairSet> {
  const set = createPairSet()
  await eachPair(pairs, set.add)
  return set
}

export async function pairsThat(pairs: readonly Pair[], passes: (pair: Pair) => boolean): Promise<Pair[]> {
  const passed: Pair[] = []
  await eachPair(pairs, (pair) => {
    if (passes(pair)) passed.push(pair)
  })
  return passed
}
