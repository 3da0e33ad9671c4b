import { LRUCache } from 'lru-cache'
import { clientSource } from '../../lib/client-source.ts'
import { roomFor } from '../../lib/room-for.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { KeystoreError } from './errors.ts'

/** Slows down who guesses passwords. Only failures count. */
export interface Attempts {
  /** @throws KeystoreError when this address has failed too often */
  admit(address: string | undefined): void
  failed(address: string | undefined): void
}

export interface AttemptLimits {
  /** Failures that are free. */
  burst: number
  /** One more becomes free after this. */
  refillMs: number
}

/** Addresses remembered; the longest unheard of are forgotten first. */
const MAX_ADDRESSES = 10_000

/** @param now milliseconds; for tests */
export function createAttempts({ burst, refillMs }: AttemptLimits, now: () => number = steadyNow): Attempts {
  const debts = new LRUCache<string, { failures: number; at: number }>(roomFor(MAX_ADDRESSES))
  const debtOf = (key: string): number => {
    const debt = debts.get(key)
    return debt === undefined ? 0 : Math.max(0, debt.failures - (now() - debt.at) / refillMs)
  }
  return {
    admit(address) {
      if (debtOf(clientSource(address)) > burst - 1)
        throw new KeystoreError('too many failed attempts, try again later')
    },
    failed(address) {
      const key = clientSource(address)
      debts.set(key, { failures: debtOf(key) + 1, at: now() })
    },
  }
}
