import { steadyNow } from '../../lib/steady-clock.ts'

/** Few tokens have a multiplier; if someone creates thousands of them, the oldest entries are evicted. */
const MOST_TOKENS = 10_000

/** Dividends and interest change a multiplier by less, and prices are often late by that much. */
export const SMALLEST_SPLIT = 0.01

/** Tells whether prices are already in the unit that a multiplier refers to. */
export interface SplitWatch {
  /** @param multiplier the amount shown per unit held, now. @returns false for a while after it jumped */
  isSettled(token: { caip2Id: string; address: string }, multiplier: number): boolean
}

/**
 * At a split, a token's multiplier changes from one block to the next, and its price follows only after the markets,
 * the provider and the cache have. In between, their product is wrong by the factor of the split. A multiplier seen for
 * the first time counts as settled.
 * @param settleMs how long after a jump the price is assumed to be in the old unit; 0 = never
 */
export function createSplitWatch(settleMs: number, now: () => number = steadyNow): SplitWatch {
  const seen = new Map<string, { multiplier: number; jumpedAt: number }>()
  return {
    isSettled({ caip2Id, address }, multiplier) {
      const key = `${caip2Id} ${address}`
      const before = seen.get(key)
      if (before === undefined) {
        seen.set(key, { multiplier, jumpedAt: Number.NEGATIVE_INFINITY })
        const [oldest] = seen.keys()
        if (seen.size > MOST_TOKENS && oldest !== undefined) seen.delete(oldest)
        return true
      }
      if (isSplit(before.multiplier, multiplier)) before.jumpedAt = now()
      before.multiplier = multiplier
      return now() - before.jumpedAt >= settleMs
    },
  }
}

const isSplit = (before: number, after: number): boolean => Math.abs(after / before - 1) > SMALLEST_SPLIT
