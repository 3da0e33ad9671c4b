const one = (): number => 1

/**
 * The bound of an `LRUCache` that forgets the oldest of more than `entries` entries. With its `max` it would hold the room
 * for all of them from the start on, 16 bytes each and more: dozens of caches on each of many chains, most of which stay
 * nearly empty for good.
 */
export const roomFor = (entries: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: one,
})
