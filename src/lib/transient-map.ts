/** Entries that may go beyond as many as are left before the table is made anew. */
const FEW = 32

/**
 * A Map for what comes and goes all the time: requests, calls, connections. A plain Map (and Set) leaves its tables behind
 * as entries come and go, each with the entries of its time and a reference to the next one. One that was idle has an old
 * table, which V8 takes for living until it collects the whole heap, and so it takes whatever was in the Map meanwhile,
 * with all that hangs on it: young collections took 7.5 ms instead of 1.7. Here the chain of tables ends every few dozen
 * removals. What needs neither keys nor an order is cheaper in a bag (`src/upstream/calls/bag.ts`).
 *
 * Iterators go through the entries of the moment in the order of their coming; one that was removed meanwhile may still
 * come.
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
