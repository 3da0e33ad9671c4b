/** Token and owner pairs, remembered for a limited time and number: the least recently extended token goes first. */
export interface LastingPairs {
  has(token: string, owner: string): boolean
  add(token: string, owner: string): void
  clear(): void
}

/**
 * By token, like `PairSet`: there are tens of thousands, and every read looks them up.
 * @param firstMs how long a pair lasts that was not there before
 * @param ttlMs the same when it comes again after its time, up to as long after: what failed once must not count for ever
 */
export function createLastingPairs(most: number, firstMs: number, ttlMs: number): LastingPairs {
  const untilBy = new Map<string, Map<string, number>>()
  let size = 0
  const forgetOne = (): void => {
    for (const [token, owners] of untilBy) {
      const [oldest] = owners.keys()
      // If there is only one token, its owners go one by one.
      if (untilBy.size === 1 && oldest !== undefined) {
        owners.delete(oldest)
        size -= 1
      } else {
        untilBy.delete(token)
        size -= owners.size
      }
      return
    }
  }
  return {
    has: (token, owner) => (untilBy.get(token)?.get(owner) ?? 0) > performance.now(),
    add(token, owner) {
      const owners = untilBy.get(token) ?? new Map<string, number>()
      untilBy.delete(token)
      untilBy.set(token, owners)
      const now = performance.now()
      const until = owners.get(owner)
      if (!owners.delete(owner)) size += 1
      if (until === undefined || now - until >= ttlMs) owners.set(owner, now + firstMs)
      else owners.set(owner, until > now ? until : now + ttlMs)
      while (size > most) forgetOne()
    },
    clear() {
      untilBy.clear()
      size = 0
    },
  }
}
