import type { UsageStore } from './compute-units.ts'

/** Sums over several processes; undefined while nobody can tell. */
export interface UsageOfAll {
  add(key: string, units: number, expiresAt: number): Promise<number | undefined>
}

/**
 * What a caller has used at all processes. Every process keeps its own sum beside: when the others cannot be asked, the
 * limit holds for this process alone, from what it has served in the period so far.
 */
export const createSharedUsage = (all: UsageOfAll, own: UsageStore): UsageStore => ({
  async add(key, units, expiresAt) {
    const [used, usedHere] = await Promise.all([all.add(key, units, expiresAt), own.add(key, units, expiresAt)])
    return Math.max(used ?? 0, usedHere)
  },
})
