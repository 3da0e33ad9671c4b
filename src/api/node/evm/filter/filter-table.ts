import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'

/** What is known of a filter. A new object whenever something of it changes. */
export interface HeldFilter {
  /** The node that has it. */
  host: string
  /** Its id there; clients know it by the id of the node that had it first. */
  id: string
  /** Left out = it is lost with its node: it was made before a restart of this server, or in a way that is not kept. */
  going?: GoingFilter | undefined
  /** Counts its changes: what is told later of an earlier state is not taken for the newest. */
  turn?: number | undefined
}

/** What it takes to go on with a filter at another node. */
export interface GoingFilter {
  method: string
  /** In latin1, as the client sent them. */
  params: string
  /** The newest block that was told, or before the filter: its hash, else its number in hex. */
  last: string
  /** Number in hex of a block up to which everything was told, where events are rare and `last` is long ago. */
  quietTo?: string | undefined
  /** Blocks that its node was not asked for: they come before what that node tells next. */
  gap?: Gap | undefined
  /** Hashes of blocks that were told and that its node may tell again. */
  again?: readonly string[] | undefined
}

/** Numbers of blocks, in hex. */
export interface Gap {
  from: string
  to: string
  /** Its node may tell again of blocks above this one. */
  sure: string
}

/** Remembers which node has a filter. */
export interface FilterTable {
  /** Told when a node has created a filter, and whenever it answers for it, which keeps it alive, as at the node. */
  hold(endpoint: string, id: string, filter: HeldFilter): void
  find(endpoint: string, id: string): HeldFilter | undefined
  forget(endpoint: string, id: string): void
  /** The same of another process, which is no change to tell. Undefined = it is forgotten. */
  heard(endpoint: string, id: string, filter: HeldFilter | undefined): void
  /** At most so many, the last used one first. */
  newest(count: number): Iterable<[endpoint: string, id: string, filter: HeldFilter]>
  readonly size: number
}

export interface FilterTableOptions {
  /** Milliseconds; for ages. */
  now?: () => number
  /**
   * Called when something changes of a filter that can go on at another node, and now and then while nothing does, so that
   * those who hear of it do not drop it; undefined = it is forgotten.
   */
  onChange?: (endpoint: string, id: string, filter: HeldFilter | undefined) => void
}

/** A node drops a filter that is not polled for this long, milliseconds. */
export const FILTER_IDLE_MS = 300_000
/** A filter whose client hears of nothing is told of again after this time, milliseconds. */
const TELL_AGAIN_MS = FILTER_IDLE_MS / 5
/** Maximum number of remembered filters; the least recently used one is evicted first. */
export const MAX_FILTERS = 20_000

const key = (endpoint: string, id: string): string => `${endpoint} ${id}`

export function createFilterTable({ now = steadyNow, onChange }: FilterTableOptions = {}): FilterTable {
  const filters = new LRUCache<string, { filter: HeldFilter; toldAt: number }>({
    ...roomFor(MAX_FILTERS),
    ttl: FILTER_IDLE_MS,
    ttlResolution: 0,
    perf: { now },
  })
  return {
    hold: (endpoint, id, filter) => {
      const known = filters.get(key(endpoint, id))
      const isChanged = known?.filter !== filter
      const isNews = isChanged || now() - known.toldAt >= TELL_AGAIN_MS
      const held = isChanged ? { ...filter, turn: (known?.filter.turn ?? filter.turn ?? 0) + 1 } : filter
      filters.set(key(endpoint, id), { filter: held, toldAt: isNews ? now() : known.toldAt })
      if (isNews && filter.going) onChange?.(endpoint, id, held)
    },
    find: (endpoint, id) => filters.get(key(endpoint, id))?.filter,
    forget: (endpoint, id) => {
      const isNews = filters.get(key(endpoint, id))?.filter.going !== undefined
      filters.delete(key(endpoint, id))
      if (isNews) onChange?.(endpoint, id, undefined)
    },
    heard: (endpoint, id, filter) => {
      const known = filters.get(key(endpoint, id))?.filter
      if (!filter) filters.delete(key(endpoint, id))
      else if ((filter.turn ?? 0) >= (known?.turn ?? 0)) filters.set(key(endpoint, id), { filter, toldAt: now() })
    },
    *newest(count) {
      let left = count
      for (const [name, { filter }] of filters.entries()) {
        if (left-- <= 0) return
        const end = name.lastIndexOf(' ')
        yield [name.slice(0, end), name.slice(end + 1), filter]
      }
    },
    get size() {
      return filters.size
    },
  }
}
