/** An item knows its position in the bag; -1 = it is in none. */
export interface Bagged {
  slot: number
}

/** An unordered collection with constant-time add and remove. */
export interface Bag<T extends Bagged> {
  add(item: T): void
  /** False when the item was not in the bag. */
  remove(item: T): boolean
  readonly items: readonly T[]
}

/**
 * An array with swap-removal instead of a Set: a Set under constant adding and removing leaves old tables behind, which
 * keep their former entries (and the answers they refer to) alive until a major collection. Measured on the forward
 * path, this doubled the processor time of a call. For collections with keys or an order use
 * `src/lib/transient-map.ts`.
 */
export const createBag = <T extends Bagged>(): Bag<T> => {
  const items: T[] = []
  return {
    add: (item) => {
      item.slot = items.length
      items.push(item)
    },
    remove: (item) => {
      const { slot } = item
      if (slot < 0) return false
      item.slot = -1
      const last = items.pop()
      if (last && last !== item) {
        items[slot] = last
        last.slot = slot
      }
      return true
    },
    items,
  }
}
