import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { TransientMap } from '../../../lib/transient-map.ts'
import { inTime } from '../../../lib/waiting/in-time.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import { type Branch, type DerivedAddresses, MAX_END } from './derived-addresses.ts'
import type { LastUsed } from './scan-progress.ts'

/** Whether any of the addresses (hex) was ever in use on P or X, as far as our own index knows. */
export type EverUsed = (addresses: readonly string[]) => Promise<boolean>

export interface EarlierUseDeps {
  derived: DerivedAddresses
  everUsed: EverUsed
  /** Unused addresses in a row that end the scan of a branch. */
  gap: number
  /** What is already known of a key: only later addresses are looked up. */
  known(key: string): LastUsed | undefined
  /** Receives what was learned of a key, perhaps after everybody has stopped waiting for it. */
  found(key: string, lastUsed: LastUsed): void
  /** Default: `PATIENCE_MS`. */
  patienceMs?: number | undefined
}

/** Addresses of a branch that are derived and looked up together. */
const WINDOW = 100
const CONCURRENT_KEYS = 4
/** A busy or unavailable index must not delay a scan until its deadline. Milliseconds. */
export const PATIENCE_MS = 1_000
/** The index is asked again about a key after this: it may have been behind. Milliseconds. */
const KEPT_MS = 600_000
/** An index that could not answer is asked again after this, milliseconds: it may only be starting. */
const AGAIN_MS = 10_000
const KEPT_KEYS = 50_000

/**
 * What a node cannot tell: there, an emptied address looks unused, and wallets that never use an address twice leave
 * hundreds of those in a row. Our own index knows them. Without its answer the scan relies on the node alone.
 */
export function createEarlierUse(deps: EarlierUseDeps) {
  const { derived, everUsed, gap, known, found, patienceMs = PATIENCE_MS } = deps
  const asked = new LRUCache<string, true>({ ...roomFor(KEPT_KEYS), ttl: KEPT_MS })
  /** Keys being looked up, for as long as callers wait for the result. */
  const learning = new TransientMap<string, Promise<void>>()

  const lastOf = async (key: string, branch: Branch, hrp: string, signal?: AbortSignal): Promise<number> => {
    let last = known(key)?.[branch] ?? -1
    for (let first = last + 1; first <= last + gap && first < MAX_END; first += WINDOW) {
      const window = await derived.range(key, branch, first, first + WINDOW, hrp, signal)
      const at = await lastInUse(
        window.map(({ hex }) => hex),
        everUsed,
      )
      if (at >= 0) last = first + at
    }
    return last
  }

  const learn = async (key: string, hrp: string, signal?: AbortSignal): Promise<void> => {
    asked.set(key, true)
    // The lookup ends with its reader, which says nothing of the index: the next reader must ask again.
    const forget = (): void => void asked.delete(key)
    signal?.addEventListener('abort', forget)
    try {
      found(key, await Promise.all([lastOf(key, 0, hrp, signal), lastOf(key, 1, hrp, signal)]))
    } catch {
      if (!signal?.aborted) asked.set(key, true, { ttl: AGAIN_MS })
    } finally {
      signal?.removeEventListener('abort', forget)
    }
  }

  /**
   * A reader that went on without a lookup already under way would report less than the reader that started it. If that
   * reader leaves, nothing was learned, and the lookup starts again.
   */
  const learnOnce = async (key: string, hrp: string, signal?: AbortSignal): Promise<void> => {
    while (learning.has(key)) await learning.get(key)
    if (asked.has(key) || signal?.aborted) return
    const learned = learn(key, hrp, signal)
    const waited = inTime(learned, patienceMs, () => undefined, signal)
    learning.set(key, waited)
    void waited.then(() => learning.delete(key))
    await learned
  }

  /** Looks up keys without a recent result. Never rejects. */
  return async (keys: readonly string[], hrp: string, signal?: AbortSignal): Promise<void> => {
    const fresh = keys.filter((key) => learning.has(key) || !asked.has(key))
    if (fresh.length === 0) return
    const learned = mapBounded(fresh, CONCURRENT_KEYS, (key) => learnOnce(key, hrp, signal))
    await inTime(learned, patienceMs, () => undefined, signal)
  }
}

/** Position of the last address that was ever in use, -1 for none. Skips halves without one early. */
export async function lastInUse(addresses: readonly string[], everUsed: EverUsed): Promise<number> {
  if (!(await everUsed(addresses))) return -1
  if (addresses.length === 1) return 0
  const half = addresses.length >> 1
  const upper = await lastInUse(addresses.slice(half), everUsed)
  return upper >= 0 ? half + upper : lastInUse(addresses.slice(0, half), everUsed)
}
