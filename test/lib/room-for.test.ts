import { LRUCache } from 'lru-cache'
import { expect, it } from 'vitest'
import { roomFor } from '../../src/lib/room-for.ts'

it('forgets the oldest entry where there are more', () => {
  const cache = new LRUCache<string, number>(roomFor(3))
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) cache.set(key, at)
  expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd'])
})

it('holds no room for entries that nobody keeps', () => {
  const held = () => process.memoryUsage().arrayBuffers
  const before = held()
  const bounded = [new LRUCache<string, number>(roomFor(10_000_000))]
  const between = held()
  // Four bytes an entry for each of two directions at least.
  const allocated = [new LRUCache<string, number>({ max: 1_000_000 })]
  expect(held() - between).toBeGreaterThan(8_000_000)
  expect(between - before).toBeLessThan(1_000_000)
  expect(bounded.length + allocated.length).toBe(2)
})
