import { LRUCache } from 'lru-cache'

/** Tokens that showed no readable balance a short while ago, by owner. */
export interface UnreadableTokens {
  /** True when asking for the token is pointless: it failed for every one of these owners. */
  covers(token: string, owners: readonly string[]): boolean
  has(token: string, owner: string): boolean
  /** True when asking once more with more gas is pointless: that has failed for many owners, and for none has it helped. */
  isHopeless(token: string): boolean
  add(token: string, owner: string): void
  /** More gas has helped for some owner. */
  helped(token: string): void
}

/** A balance that takes much gas for some owners takes it for one of so many. */
const HOPELESS_AFTER = 16

export function createUnreadableTokens(entries: number, ttlMs: number): UnreadableTokens {
  const pairs = new LRUCache<string, true>({ max: entries, ttl: ttlMs })
  const ownersOf = new LRUCache<string, Set<string>>({ max: entries, ttl: ttlMs })
  const key = (token: string, owner: string) => `${token}:${owner}`
  return {
    covers: (token, owners) => owners.every((owner) => pairs.has(key(token, owner))),
    has: (token, owner) => pairs.has(key(token, owner)),
    isHopeless: (token) => (ownersOf.get(token)?.size ?? 0) >= HOPELESS_AFTER,
    add(token, owner) {
      pairs.set(key(token, owner), true)
      const owners = ownersOf.get(token)
      // Its time runs from the first owner, so that every token gets its chance again.
      if (!owners) ownersOf.set(token, new Set([owner]))
      else if (owners.size < HOPELESS_AFTER) owners.add(owner)
    },
    helped: (token) => void ownersOf.delete(token),
  }
}
