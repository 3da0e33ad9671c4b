import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { createLastingPairs } from './lasting-pairs.ts'

/** Tokens that recently had no readable balance, by owner. */
export interface UnreadableTokens {
  /** True when asking for the token is pointless: it failed for every one of these owners, or burns its gas for all. */
  covers(token: string, owners: readonly string[]): boolean
  /** @param readOwners all owners of the read */
  has(token: string, owner: string, readOwners: readonly string[]): boolean
  add(token: string, owner: string): void
  /**
   * Only the common call failed: the token is soon asked again, and at once when the owner is read with other owners,
   * since strangers' tokens may have left it no room.
   */
  putOff(token: string, owner: string, readOwners: readonly string[]): void
  /** The token is being asked with much gas. */
  trying(token: string): void
  /** When it was last asked with much gas, milliseconds of a clock; 0 = not recently. */
  triedAt(token: string): number
  /** It failed for some of these owners and, as far as known, for all; with other owners this says nothing. */
  addTogether(token: string, owners: readonly string[]): void
  /** True when common calls failed to read the token for several owners: they will fail for the next one, too. */
  isTroubled(token: string): boolean
  /** A common call failed to read the token, whatever more gas brings. */
  trouble(token: string, owner: string): void
  /** True when the token burnt the gas of calls. */
  isBurning(token: string): boolean
  /** True when the token burnt the gas of calls, and may do so for this owner: owners after it are then not asked. */
  mayBurn(token: string, owner: string): boolean
  addBurning(token: string): void
  /** The token answered for the owner. Kept only for tokens that burn their gas for some owner. */
  addAnswer(token: string, owner: string): void
  /** The servers asked so far may have had none of the tokens: what failed is asked again. */
  forget(): void
}

/** Tokens that are put off come back after this share of the time. */
const SOON = 0.25

/** If a token fails for one or two owners only, these owners may be the cause (an airdrop, a blocklist). */
const TROUBLED_AFTER = 3

/** A token that burns its gas for this many owners, and answers none, does so for all: each costs a node much work. */
export const BURNS_FOR_ALL = 7

/** @param firstMs how long a token is remembered for an owner when it fails for the first time */
export function createUnreadableTokens(entries: number, ttlMs: number, firstMs = ttlMs): UnreadableTokens {
  // With `max` each cache would allocate all its entries from the start: 15 MB a chain, most of it for nothing.
  const room = roomFor(entries)
  const pairs = createLastingPairs(entries, Math.min(firstMs, ttlMs), ttlMs)
  const together = new LRUCache<string, true>({ ...room, ttl: ttlMs })
  const later = new LRUCache<string, true>({ ...room, ttl: ttlMs * SOON })
  const troubles = new LRUCache<string, Set<string>>({ ...room, ttl: ttlMs })
  const burning = new LRUCache<string, true>({ ...room, ttl: ttlMs })
  const answers = new LRUCache<string, true>({ ...room, ttl: ttlMs })
  const burnt = new LRUCache<string, Set<string>>({ ...room, ttl: ttlMs })
  // Without expiry: an owner that saw its balance must not lose it because strangers asked while it was away.
  const answering = new LRUCache<string, true>(room)
  const tried = new LRUCache<string, number>(room)
  const key = (token: string, owner: string) => `${token}:${owner}`
  const names = new WeakMap<readonly string[], string>()
  const nameOf = (owners: readonly string[]): string => {
    const name = names.get(owners) ?? hash('sha256', owners.join(), 'base64url')
    names.set(owners, name)
    return name
  }
  const isPutOff = (token: string, owner: string, readOwners: readonly string[]): boolean =>
    later.size > 0 && later.has(`${key(token, owner)}:${nameOf(readOwners)}`)
  return {
    covers: (token, owners) =>
      (burnt.get(token)?.size ?? 0) >= BURNS_FOR_ALL ||
      owners.every((owner) => pairs.has(token, owner)) ||
      (together.size > 0 && together.has(key(token, nameOf(owners)))),
    has: (token, owner, readOwners) => pairs.has(token, owner) || isPutOff(token, owner, readOwners),
    add(token, owner) {
      pairs.add(token, owner)
      if (!burning.has(token) || answering.has(token)) return
      const owners = burnt.get(token)
      // Here, too, the time runs from the first owner.
      if (!owners) burnt.set(token, new Set([owner]))
      else if (owners.size < BURNS_FOR_ALL) owners.add(owner)
    },
    putOff: (token, owner, readOwners) => void later.set(`${key(token, owner)}:${nameOf(readOwners)}`, true),
    trying: (token) => void tried.set(token, steadyNow()),
    triedAt: (token) => tried.get(token) ?? 0,
    addTogether: (token, owners) => void together.set(key(token, nameOf(owners)), true),
    isTroubled: (token) => (troubles.get(token)?.size ?? 0) >= TROUBLED_AFTER,
    trouble(token, owner) {
      const owners = troubles.get(token)
      // The time runs from the first owner, so that a repaired token comes back into the common calls.
      if (!owners) troubles.set(token, new Set([owner]))
      else if (owners.size < TROUBLED_AFTER) owners.add(owner)
    },
    isBurning: (token) => burning.has(token),
    mayBurn: (token, owner) => burning.has(token) && !answers.has(key(token, owner)),
    addBurning: (token) => void burning.set(token, true),
    addAnswer: (token, owner) => {
      if (!burning.has(token)) return
      answers.set(key(token, owner), true)
      answering.set(token, true)
      burnt.delete(token)
    },
    forget() {
      pairs.clear()
      for (const cache of [together, later, troubles, burning, answers, burnt]) cache.clear()
    },
  }
}
