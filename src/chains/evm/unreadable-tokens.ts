import { LRUCache } from 'lru-cache'

/** Pairs of token and owner that showed no readable balance a short while ago. */
export interface UnreadableTokens {
  /** True when asking for the token is pointless: it failed for every one of these owners. */
  covers(token: string, owners: readonly string[]): boolean
  has(token: string, owner: string): boolean
  add(token: string, owner: string): void
}

export function createUnreadableTokens(entries: number, ttlMs: number): UnreadableTokens {
  const pairs = new LRUCache<string, true>({ max: entries, ttl: ttlMs })
  const key = (token: string, owner: string) => `${token}:${owner}`
  return {
    covers: (token, owners) => owners.every((owner) => pairs.has(key(token, owner))),
    has: (token, owner) => pairs.has(key(token, owner)),
    add: (token, owner) => void pairs.set(key(token, owner), true),
  }
}
