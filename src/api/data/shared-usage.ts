import type { UsageStore } from './compute-units.ts'

/** Sums over several processes; undefined while they are unavailable. */
export interface UsageOfAll {
  add(key: string, units: number, expiresAt: number, limit?: number): Promise<number | undefined>
}

/** Another process may still be in a period that is over here; the sum of the next period has another key. */
const SKEW_MS = 60_000

/**
 * What a caller has used at all processes. Every process also keeps its own sum: when the shared sum is unavailable,
 * the limit applies to this process alone, from what it has served in the period so far.
 */
export const createSharedUsage = (all: UsageOfAll, own: UsageStore): UsageStore => ({
  async add(key, units, expiresAt, limit = Number.POSITIVE_INFINITY) {
    const forgottenAt = expiresAt + SKEW_MS
    const used = await all.add(key, units, forgottenAt, Math.min(limit, Number.MAX_SAFE_INTEGER))
    if (used !== undefined && used > limit) return used
    const usedHere = await own.add(key, units, expiresAt, limit)
    // The usage server restarted empty: what was just added to it is not served.
    if (used !== undefined && usedHere > limit) await all.add(key, -units, forgottenAt)
    return Math.max(used ?? 0, usedHere)
  },
})
