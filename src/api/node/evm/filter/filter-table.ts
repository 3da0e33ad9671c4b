import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'

/** Remembers which node created a filter. */
export interface FilterTable {
  /** Told when a node has created a filter, and whenever it answers for it, which keeps it alive, as at the node. */
  heldBy(endpoint: string, id: string, host: string): void
  /** The node that created it. */
  hostOf(endpoint: string, id: string): string | undefined
  forget(endpoint: string, id: string): void
  readonly size: number
}

/** A node drops a filter that is not polled for this long, milliseconds. */
export const FILTER_IDLE_MS = 300_000
/** Maximum number of remembered filters; the least recently used one is evicted first. */
export const MAX_FILTERS = 20_000

const key = (endpoint: string, id: string): string => `${endpoint} ${id}`

export function createFilterTable(now: () => number = Date.now): FilterTable {
  const hosts = new LRUCache<string, string>({
    ...roomFor(MAX_FILTERS),
    ttl: FILTER_IDLE_MS,
    ttlResolution: 0,
    perf: { now },
  })
  return {
    heldBy: (endpoint, id, host) => void hosts.set(key(endpoint, id), host),
    hostOf: (endpoint, id) => hosts.get(key(endpoint, id)),
    forget: (endpoint, id) => void hosts.delete(key(endpoint, id)),
    get size() {
      return hosts.size
    },
  }
}
