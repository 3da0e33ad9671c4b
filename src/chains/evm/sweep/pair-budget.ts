/** How many owner × token pairs one eth_call of this chain carries; learned from failed or truncated calls. */
export interface PairBudget {
  size(): number
  /** A call with too many pairs failed, or was cut short; `pairs` may still fit. */
  shrink(pairs: number): void
  /** A call as large as the budget passed. */
  passed(pairs: number): void
}

export function createPairBudget(largest: number): PairBudget {
  let current = largest
  const size = (): number => Math.floor(current)
  return {
    size,
    shrink: (pairs) => {
      current = Math.min(current, Math.max(1, pairs))
    },
    passed: (pairs) => {
      // Slow growth: a failure costs a round trip, an additional call costs little.
      if (pairs >= size() * 0.9) current = Math.min(largest, current * 1.1)
    },
  }
}
