import type { UsageStore } from './compute-units.ts'

/** Sums over several processes; undefined while nobody can tell. */
export interface UsageOfAll {
  add(key: string, units: number, expiresAt: number, limit?: number): Promise<number | undefined>
}

/** Another process may still be in a period that is over here; a sum of the next one has another key. */
const SKEW_MS = 60_000

/**
 * What a caller has used at all processes. Every process keeps its own sum beside: when the others cannot be asked, the
 * limit holds for this process alone, from what it has served in the period so far.
 */
export const createSharedUsage = (all: UsageOfAll, own: UsageStore): UsageStore => ({
  async add(key, units, expiresAt, limit = Number.POSITIVE_INFINITY) {
    const forgottenAt = expiresAt + SKEW_MS
    const used = await all.add(key, units, forgottenAt, Math.min(limit, Number.MAX_SAFE_INTEGER))
    if (used !== undefined && used > limit) return used
    const usedHere = await own.add(key, units, expiresAt, limit)
    // The server came back empty: what it was told just now is not served.
    if (used !== undefined && usedHere > limit) await all.add(key, -units, forgottenAt)
    return Math.max(used ?? 0, usedHere)
  },
})
