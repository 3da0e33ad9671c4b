import { expect, test } from 'vitest'
import { createHeightHistory } from '../../../src/upstream/health/height-history.ts'
import type { Upstream } from '../../../src/upstream/upstream.ts'

const LONG_MS = 10

/** As much of an upstream as tells heights. */
function setUp() {
  let time = 1_000
  const heights = createHeightHistory(LONG_MS, 5 * LONG_MS, () => time)
  const upstreamOf = () => {
    let height: bigint | undefined
    let state = 'closed'
    const upstream = { height: () => height, breaker: { state: () => state } } as unknown as Upstream
    return {
      upstream,
      tell(seen: bigint) {
        height = seen
        heights.told(upstream, seen)
      },
      open() {
        state = 'open'
      },
    }
  }
  const [a, b] = [upstreamOf(), upstreamOf()]
  return {
    a,
    b,
    pass: (ms: number) => {
      time += ms
    },
    stands: () => heights.standsStill(a.upstream, [a.upstream, b.upstream]),
    lacked: () => heights.lackedFor(a.upstream, [a.upstream, b.upstream]),
  }
}

test('a block that another has had for a moment is not missed yet; one of long ago is', () => {
  const { a, b, pass, stands } = setUp()
  expect(stands()).toBe(false)
  a.tell(5n)
  b.tell(6n)
  pass(LONG_MS - 1)
  a.tell(5n)
  expect(stands()).toBe(false)
  pass(1)
  // What it has now is not known before it tells.
  expect(stands()).toBe(false)
  a.tell(5n)
  expect(stands()).toBe(true)
  b.tell(9n)
  a.tell(6n)
  expect(stands()).toBe(false)
})

test('who goes on at some distance does not stand still, however long', () => {
  const { a, b, pass, stands } = setUp()
  for (let height = 1n; height < 100n; height += 1n) {
    b.tell(height + 1n)
    a.tell(height)
    expect(stands()).toBe(false)
    pass(LONG_MS)
  }
  a.tell(99n)
  pass(LONG_MS)
  a.tell(99n)
  expect(stands()).toBe(true)
})

test('what one told that is away, or has gone back, makes nobody a laggard', () => {
  const { a, b, pass, stands } = setUp()
  b.tell(6n)
  pass(LONG_MS)
  a.tell(5n)
  expect(stands()).toBe(true)
  b.tell(5n)
  expect(stands()).toBe(false)
  b.tell(6n)
  expect(stands()).toBe(true)
  b.open()
  expect(stands()).toBe(false)
})

test('how long a block was missing is told from the first word of it to the last of who lacks it', () => {
  const { a, b, pass, lacked } = setUp()
  expect(lacked()).toBe(0)
  a.tell(5n)
  b.tell(5n)
  expect(lacked()).toBe(0)
  pass(3)
  b.tell(6n)
  pass(4)
  b.tell(9n)
  expect(lacked()).toBe(0)
  a.tell(5n)
  expect(lacked()).toBe(4)
  a.tell(6n)
  expect(lacked()).toBe(0)
  pass(2)
  a.tell(6n)
  expect(lacked()).toBe(2)
  // Who has gone away was there all the same; who goes back was wrong.
  b.open()
  pass(20 * LONG_MS)
  a.tell(8n)
  expect(lacked()).toBe(2 + 20 * LONG_MS)
  b.tell(8n)
  expect(lacked()).toBe(0)
})

test('of long ago so much is remembered as was asked for, however often heights are told', () => {
  const { a, b, pass, lacked } = setUp()
  for (let height = 1n; height < 100n; height += 1n) {
    b.tell(height)
    pass(1)
  }
  a.tell(0n)
  expect(lacked()).toBeGreaterThanOrEqual(5 * LONG_MS)
  expect(lacked()).toBeLessThan(6 * LONG_MS)
})
