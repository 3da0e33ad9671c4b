import { TransientMap } from '../../lib/transient-map.ts'

interface Entry {
  value: unknown
  weight: number
  storedAt: number
}

/** Recent answers, bounded by number and bytes; the least recently used go first. */
export interface TtlCache {
  /** The entry when it is at most `maxAgeMs` old. */
  get(key: string, maxAgeMs: number, now: number): { value: unknown } | undefined
  set(key: string, value: unknown, bytes: number, now: number): void
  readonly size: number
  readonly bytes: number
  clear(): void
}

/** Weight of an entry beyond its text: the key, the map slot, and parsed objects being larger than their text. */
const OVERHEAD = 200

/** The reader's own `maxAgeMs` decides about freshness, so that one entry serves readers with different demands. */
export const createTtlCache = (limits: { entries: number; bytes: number }): TtlCache => {
  const entries = new TransientMap<string, Entry>()
  let bytes = 0
  const remove = (key: string, entry: Entry): void => {
    entries.delete(key)
    bytes -= entry.weight
  }
  return {
    get: (key, maxAgeMs, now) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (now - entry.storedAt > maxAgeMs || now < entry.storedAt) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set: (key, value, size, now) => {
      const old = entries.get(key)
      if (old) remove(key, old)
      const weight = OVERHEAD + key.length + size
      if (weight > limits.bytes) return
      entries.set(key, { value, weight, storedAt: now })
      bytes += weight
      for (const [oldest, entry] of entries) {
        if (entries.size <= limits.entries && bytes <= limits.bytes) break
        remove(oldest, entry)
      }
    },
    get size() {
      return entries.size
    },
    get bytes() {
      return bytes
    },
    clear: () => {
      entries.clear()
      bytes = 0
    },
  }
}
