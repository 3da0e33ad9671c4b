import { inTurns } from '../../../lib/in-turns.ts'
import type { Pair } from './sweep-tally.ts'

/** A thousand tokens without code on a list, asked for five hundred owners, are half a million pairs. */
const PAIRS_PER_TURN = 5_000

/** Pairs by token: one text for each pair would take ten times as long as all else that is done with it. */
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

/** Does something with each of many pairs; others get their turns. */
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
