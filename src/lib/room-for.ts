const one = (): number => 1

/**
 * Bound of an `LRUCache` that forgets the oldest of more than `entries` entries. With `max` the cache would allocate
 * all entries from the start, 16 bytes each and more: there are dozens of caches on each of many chains, most of which
 * stay nearly empty.
 */
export const roomFor = (entries: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: one,
})
