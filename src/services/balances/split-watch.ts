import { steadyNow } from '../../lib/steady-clock.ts'

/** Tokens with a multiplier are few; who makes thousands of them gets those forgotten that came first. */
const MOST_TOKENS = 10_000

/** Dividends and interest move a multiplier by less, and a price that is late by so much is a usual one. */
export const SMALLEST_SPLIT = 0.01

/** Tells whether prices can be of the unit that a multiplier speaks of by now. */
export interface SplitWatch {
  /** @param multiplier what is shown for one that is held, now. @returns false for a while after it jumped */
  isSettled(token: { caip2Id: string; address: string }, multiplier: number): boolean
}

/**
 * At a split the multiplier of a token changes from one block to the next, and its price does so when the markets, the
 * provider and the kept price have followed. In between, the two of them multiplied are a wrong number, as far from the
 * truth as the split is large. What this process has not seen before counts as settled.
 * @param settleMs how long after a jump the price is taken for one of the old unit; 0 = never
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
