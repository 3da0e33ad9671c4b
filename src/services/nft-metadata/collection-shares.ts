import { LRUCache } from 'lru-cache'
import { roomFor } from '../../lib/room-for.ts'

/**
 * Keeps the worker's places for many collections: strangers decide how many tokens one has, at how many hosts their documents
 * are, and how long each takes.
 */
export interface CollectionShares {
  /** Contracts of which no more tokens are to be taken now. */
  full(): readonly string[]
  /** Takes a place; false where the collection has as many as it may. */
  enter(contract: string): boolean
  leave(contract: string): void
  /** A document of it took so long, milliseconds, whatever came of it. */
  took(contract: string, ms: number): void
}

/** A document that takes this long keeps others waiting, milliseconds. */
const SLOW_MS = 3_000
/** Slow ones that are remembered; what is forgotten counts as quick. */
const REMEMBERED = 500

/**
 * @param share places of one collection; of one whose last document was slow a single one
 * @param slowPlaces of all slow collections together
 */
export function createCollectionShares(share: number, slowPlaces: number): CollectionShares {
  const running = new Map<string, number>()
  const slow = new LRUCache<string, true>(roomFor(REMEMBERED))

  const runningSlow = (): number => {
    let sum = 0
    for (const [contract, count] of running) if (slow.has(contract)) sum += count
    return sum
  }
  const isFull = (contract: string): boolean => {
    const own = running.get(contract) ?? 0
    return slow.has(contract) ? own >= 1 || runningSlow() >= slowPlaces : own >= share
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
