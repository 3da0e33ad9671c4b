import { LRUCache } from 'lru-cache'
import type { AccountKey } from './account-key.ts'
import { type Batch, type BatchCheck, createSameBatchCheck } from './read-batch.ts'
import type { Balances } from './types.ts'

/** An account's last successful reading. Kept longer than it is fresh in case the chain fails. */
export interface Reading {
  balances: Balances
  /** Milliseconds of the clock when the read began, so that age is never understated. */
  at: number
  /** The accounts it was read with. */
  batch: Batch
}

/** Cached readings hold this many tokens on average: one account may have twenty thousand. */
const TOKENS_PER_ENTRY = 10

/**
 * Batches per account whose last readings are kept in addition to that of the account alone: one owner's wallets on
 * several devices, and strangers. A read of one must not evict the fallback of another for when the chain fails.
 */
const MOST_BATCHES = 4

/** The last readings of accounts, bounded by accounts and by what they list; evicts the least recently used first. */
export function createKeptReadings(maxEntries: number, now: () => number) {
  const maxSize = maxEntries * TOKENS_PER_ENTRY
  /** Of each batch the last one, newest first. */
  const readings = new LRUCache<string, readonly Reading[]>({ max: maxEntries, maxSize, sizeCalculation: weightOf })
  let replaced = 0
  return {
    /**
     * For all accounts of one read, which began at that moment. A read that everybody has left may end after a later
     * one: its result is older.
     */
    keeperOf({ batch, at }: Pick<Reading, 'batch' | 'at'>, cacheMs: number) {
      const isSame = createSameBatchCheck(batch)
      return (key: AccountKey['key'], balances: Balances): void => {
        const before = readings.peek(key) ?? []
        const last = before.find((one) => isSame(one.batch))
        if (last && last.at > at) return
        // Requests that may get either reading get the newer one from now on.
        if (before.some((one) => now() - one.at < cacheMs)) replaced += 1
        const all = newestOf([{ balances, at, batch }, ...before.filter((one) => one !== last)])
        readings.set(key, weightOf(all) > maxSize ? all.slice(0, 1) : all)
      }
    },
    /** The newest reading that a request may get. */
    of: (key: AccountKey['key'], mayUse: BatchCheck): Reading | undefined =>
      readings.get(key)?.find(({ batch }) => mayUse(batch)),
    /** Number of readings that were replaced while they were current. */
    replaced: (): number => replaced,
  }
}

function newestOf(all: readonly Reading[]): readonly Reading[] {
  let batches = 0
  return [...all]
    .sort((one, other) => other.at - one.at)
    .filter(({ batch }) => batch.length === 1 || ++batches <= MOST_BATCHES)
}

/** A second reading of the same account weighs as much as another account. */
function weightOf(all: readonly Reading[]): number {
  return all.reduce((sum, { balances }, at) => sum + Math.max(partsOf(balances), at === 0 ? 1 : TOKENS_PER_ENTRY), 0)
}

/** Number of things that a reading lists, including itself. */
function partsOf(balances: Balances): number {
  let parts = 1
  for (const member of Object.values(balances)) {
    if (Array.isArray(member)) parts += member.length
    else if (typeof member === 'object') parts += Object.values(member).flat().length
  }
  return parts
}
