import { expect, test } from 'vitest'
import { createTtlCache } from '../../../src/upstream/calls/ttl-cache.ts'

test("the reader's age decides", () => {
  const cache = createTtlCache({ entries: 10, bytes: 10_000 })
  cache.set('a', 1, 10, 1_000)
  expect(cache.get('a', 100, 1_100)?.value).toBe(1)
  expect(cache.get('a', 99, 1_100)).toBeUndefined()
  expect(cache.get('a', 200, 1_100)?.value).toBe(1)
})

test('undefined is a value', () => {
  const cache = createTtlCache({ entries: 10, bytes: 10_000 })
  cache.set('a', undefined, 0, 0)
  expect(cache.get('a', 1, 0)).toBeDefined()
})

test('bounded by entries, least recently used first', () => {
  const cache = createTtlCache({ entries: 2, bytes: 10_000 })
  cache.set('a', 1, 0, 0)
  cache.set('b', 2, 0, 0)
  cache.get('a', 1, 0)
  cache.set('c', 3, 0, 0)
  expect([cache.get('a', 1, 0)?.value, cache.get('b', 1, 0), cache.get('c', 1, 0)?.value]).toEqual([1, undefined, 3])
})

test('bounded by bytes; what is larger than everything is not kept; the count is right after replacing', () => {
  const cache = createTtlCache({ entries: 100, bytes: 2_000 })
  for (let index = 0; index < 50; index += 1) cache.set(`key${index}`, index, 500, 0)
  expect(cache.bytes).toBeLessThanOrEqual(2_000)
  expect(cache.size).toBe(2)
  cache.set('huge', 1, 5_000, 0)
  expect(cache.get('huge', 1, 0)).toBeUndefined()
  // Nor does it drive out what is.
  expect(cache.get('key49', 1, 0)?.value).toBe(49)
  cache.clear()
  for (let index = 0; index < 50; index += 1) cache.set('same', index, 500, 0)
  expect(cache.size).toBe(1)
  expect(cache.bytes).toBe(704)
})

test('an answer from a time that is yet to come, as seen by a clock that was set back, is none', () => {
  const cache = createTtlCache({ entries: 10, bytes: 10_000 })
  cache.set('a', 1, 0, 5_000)
  expect(cache.get('a', 60_000, 4_999)).toBeUndefined()
  expect(cache.get('a', 60_000, 5_000)?.value).toBe(1)
})
