import { LRUCache } from 'lru-cache'
import { roomFor } from '../../lib/room-for.ts'

/**
 * Divides the worker's slots among many collections: contract owners decide how many tokens they have, on how many
 * hosts the documents are, and how long each takes.
 */
export interface CollectionShares {
  /** Contracts of which no further tokens may start now. */
  full(): readonly string[]
  /** Takes a slot; false when the collection has as many as allowed. */
  enter(contract: string): boolean
  leave(contract: string): void
  /** One of its documents took this long, milliseconds, successful or not. */
  took(contract: string, ms: number): void
}

/** A document that takes this long counts as slow, milliseconds. */
const SLOW_MS = 3_000
/** Number of slow collections remembered; evicted ones count as fast. */
const REMEMBERED = 500

/**
 * @param share slots per collection
 * @param slowSlots slots of all slow collections together
 * @param slowShare slots of a collection whose last document was slow
 */
export function createCollectionShares(share: number, slowSlots: number, slowShare = 1): CollectionShares {
  const running = new Map<string, number>()
  const slow = new LRUCache<string, true>(roomFor(REMEMBERED))

  const runningSlow = (): number => {
    let sum = 0
    for (const [contract, count] of running) if (slow.has(contract)) sum += count
    return sum
  }
  const isFull = (contract: string): boolean => {
    const own = running.get(contract) ?? 0
    return slow.has(contract) ? own >= slowShare || runningSlow() >= slowSlots : own >= share
  }
  return {
    full: () => [...new Set([...running.keys(), ...slow.keys()])].filter(isFull),
    enter(contract) {
      if (isFull(contract)) return false
      running.set(contract, (running.get(contract) ?? 0) + 1)
      return true
    },
    leave(contract) {
      const left = (running.get(contract) ?? 1) - 1
      if (left > 0) running.set(contract, left)
      else running.delete(contract)
    },
    took(contract, ms) {
      if (ms >= SLOW_MS) slow.set(contract, true)
      else slow.delete(contract)
    },
  }
}
