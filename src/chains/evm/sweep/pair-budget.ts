/** How many owner × token pairs one eth_call of this chain carries; learned from calls that were cut short or failed. */
export interface PairBudget {
  size(): number
  /** A call of `pairs` pairs failed for its size, or only `pairs` of it were done. */
  shrink(pairs: number): void
  /** A call as large as the budget passed. */
  passed(pairs: number): void
}

export function createPairBudget(largest: number): PairBudget {
  let current = largest
  return {
    size: () => Math.floor(current),
    shrink: (pairs) => {
      current = Math.min(current, Math.max(1, pairs))
    },
    passed: (pairs) => {
      // Slow growth: one failure costs a round trip, a call too many costs little.
      if (pairs >= current * 0.9) current = Math.min(largest, current * 1.1)
    },
  }
}
