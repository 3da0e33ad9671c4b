import { LRUCache } from 'lru-cache'
import { clientSource } from './http/client-source.ts'
import { roomFor } from './room-for.ts'

export interface GuessLimits {
  /** Failures of one address without a wait. */
  burst: number
  /** One more failure becomes free after this, milliseconds. */
  refillMs: number
}

/** Slows down password guessing. Only failures count; clients without an address share a budget. */
export interface GuessBudget {
  /** Milliseconds until this address may try again; 0 = now. */
  waitMs(address: string | undefined): number
  failed(address: string | undefined): void
}

/** Remembered addresses; the least recently seen is forgotten first. */
const ADDRESSES = 10_000

/** @param now milliseconds; never goes back */
export function createGuessBudget({ burst, refillMs }: GuessLimits, now: () => number): GuessBudget {
  const debts = new LRUCache<string, { failures: number; at: number }>(roomFor(ADDRESSES))
  const debtOf = (source: string): number => {
    const debt = debts.get(source)
    return debt === undefined ? 0 : Math.max(0, debt.failures - (now() - debt.at) / refillMs)
  }
  return {
    waitMs: (address) => Math.max(0, (debtOf(clientSource(address)) + 1 - burst) * refillMs),
    failed(address) {
      const source = clientSource(address)
      debts.set(source, { failures: debtOf(source) + 1, at: now() })
    },
  }
}
