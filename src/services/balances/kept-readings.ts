import { LRUCache } from 'lru-cache'
import { CancelledError, FirnError } from '../../errors.ts'
import type { Balances } from './types.ts'

/** `afterMs`: how long the read had taken when it failed. */
export type ReadingOutcome = { ok: true; balances: Balances } | { ok: false; error: Error; afterMs: number }

/** What one read told of its accounts. Kept longer than it is fresh in case the chain fails. */
export interface Reading {
  /** Of each account, by its name. */
  outcomes: ReadonlyMap<string, ReadingOutcome>
  /** Milliseconds of the clock when the read began, so that age is never understated. */
  at: number
}

/** Cached readings hold this many tokens of an account on average: one account may have twenty thousand. */
const TOKENS_PER_ENTRY = 10

/** Number of accounts of which the next read may tell more: unlike a wrong address, a failed chain passes. */
export const passingFailures = ({ outcomes }: Reading): number => {
  let count = 0
  for (const outcome of outcomes.values()) if (!outcome.ok && isPassing(outcome.error)) count += 1
  return count
}

const isPassing = (error: Error): boolean =>
  !(error instanceof FirnError) || error.retryable || error instanceof CancelledError

/**
 * The last readings by `batchKey`, bounded by the accounts in them and by what these list; evicts the least recently
 * used first.
 * @param maxStaleMs maximum age of a reading that stands in for a failed one
 */
export function createKeptReadings(maxEntries: number, maxStaleMs: number, now: () => number) {
  const maxSize = maxEntries * TOKENS_PER_ENTRY
  const readings = new LRUCache<string, Reading>({ max: maxEntries, maxSize, sizeCalculation: weightOf })
  let replaced = 0
  return {
    of: (key: string): Reading | undefined => readings.get(key),
    /**
     * What is told now that this was read: the kept reading if it is newer, since a read that everybody has left may end
     * after a later one, or if it failed in fewer accounts and is young enough. It stands in as a whole: coins that
     * moved among accounts of two readings would count twice, or not at all.
     * @param cacheMs how long readings count as current
     */
    settle(key: string, read: Reading, cacheMs: number): Reading {
      const kept = readings.peek(key)
      const age = now() - (kept?.at ?? 0)
      const isBetter = kept && age <= maxStaleMs && passingFailures(kept) < passingFailures(read)
      if (kept && (kept.at > read.at || isBetter)) return kept
      if (![...read.outcomes.values()].some(({ ok }) => ok)) return read
      if (kept && age < cacheMs) replaced += 1
      readings.set(key, read)
      return read
    },
    /** Number of readings that were replaced while they were current. */
    replaced: (): number => replaced,
  }
}

function weightOf({ outcomes }: Reading): number {
  let weight = 0
  for (const outcome of outcomes.values())
    weight += Math.max(outcome.ok ? partsOf(outcome.balances) : 1, TOKENS_PER_ENTRY)
  return weight
}

/** Number of things that an account's balances list, including itself. */
function partsOf(balances: Balances): number {
  let parts = 1
  for (const member of Object.values(balances)) {
    if (Array.isArray(member)) parts += member.length
    else if (typeof member === 'object') parts += Object.values(member).flat().length
  }
  return parts
}
