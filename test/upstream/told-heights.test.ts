import { expect, test } from 'vitest'
import { createToldHeights } from '../../src/upstream/told-heights.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

const LONG_MS = 10

/** As much of an upstream as tells heights. */
function setUp() {
  let time = 1_000
  const heights = createToldHeights(LONG_MS, () => time)
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
