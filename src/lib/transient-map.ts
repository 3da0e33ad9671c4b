/** Removals beyond the number of remaining entries after which the table is rebuilt. */
const FEW = 32

/**
 * A Map for short-lived entries: requests, calls, connections. A plain Map (and Set) leaves old tables behind as
 * entries come and go, each with its former entries and a reference to the next table. The old table of a Map that was
 * idle counts as alive in V8 until a full collection, and so does everything that was in the Map since: young
 * collections took 7.5 ms instead of 1.7. Here the chain of tables ends every few dozen removals. A collection without
 * keys or order is cheaper as a bag (`src/upstream/calls/bag.ts`).
 *
 * Iterators visit the current entries in order of insertion; an entry removed meanwhile may still be visited.
 */
export class TransientMap<K, V> {
  #entries = new Map<K, V>()
  #gone = 0

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  has(key: K): boolean {
    return this.#entries.has(key)
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value)
  }

  /** False when there was no such entry. */
  delete(key: K): boolean {
    if (!this.#entries.delete(key)) return false
    this.#gone += 1
    if (this.#gone > FEW + this.#entries.size) {
      this.#entries = new Map(this.#entries)
      this.#gone = 0
    }
    return true
  }

  clear(): void {
    this.#entries = new Map()
    this.#gone = 0
  }

  keys(): MapIterator<K> {
    return this.#entries.keys()
  }

  values(): MapIterator<V> {
    return this.#entries.values()
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#entries[Symbol.iterator]()
  }
}
