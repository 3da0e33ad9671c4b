import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'

/** The stamps of the last readings (`Attempt.stamp`), by what was read. */
export interface RecentStamps {
  /** Undefined = none, or too long ago. */
  of(key: string): string | undefined
  keep(key: string, stamp: string | undefined): void
}

/**
 * A coin that came and was staked since the last reading leaves the same outputs as before it came. Wallets poll more
 * often than that happens; milliseconds.
 */
const RECENT_MS = 60_000
const KEPT = 10_000

export function createRecentStamps(): RecentStamps {
  const stamps = new LRUCache<string, string>({ ...roomFor(KEPT), ttl: RECENT_MS, perf: { now: steadyNow } })
  return {
    of: (key) => stamps.get(key),
    keep: (key, stamp) => {
      if (stamp === undefined) stamps.delete(key)
      else stamps.set(key, stamp)
    },
  }
}
