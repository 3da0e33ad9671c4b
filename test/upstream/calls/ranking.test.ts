import { expect, it } from 'vitest'
import { createRanking } from '../../../src/upstream/calls/ranking.ts'
import { createBatchLimit } from '../../../src/upstream/json-rpc/batch-limit.ts'
import type { Upstream } from '../../../src/upstream/upstream.ts'

const HOUR = 3_600_000

/** As much of an upstream as is ranked: `ms` is what it takes to answer. */
const upstreamOf = (index: number, ms: () => number): Upstream =>
  ({
    index,
    priority: 0,
    limits: { maxLagBlocks: 3 },
    breaker: { state: () => 'closed', probeDue: () => false, takeProbe: () => undefined },
    latency: { recentMean: ms },
    gate: { room: () => true, waiting: () => 0 },
    lagging: () => false,
    absent: () => false,
    errorRate: () => 0,
    pausedUntil: () => 0,
  }) as unknown as Upstream

it('follows what is measured also behind a clock that was set back', () => {
  let first = 10
  const upstreams = [upstreamOf(0, () => first), upstreamOf(1, () => 50)]
  const ranking = createRanking(upstreams)
  expect(ranking.choose([], HOUR, false)).toBe(upstreams[0])
  first = 5_000
  expect(ranking.choose([], HOUR + 100, false)).toBe(upstreams[0])
  expect(ranking.choose([], 1_000, false)).toBe(upstreams[1])
})

it('sends siblings where the first of them was sent, busy or not, as long as that one is healthy and was not tried', () => {
  let [busy, lags, pausedUntil] = [false, false, 0]
  const first = Object.assign(
    upstreamOf(0, () => 10),
    {
      gate: { room: () => !busy, waiting: () => 5 },
      lagging: () => lags,
      pausedUntil: () => pausedUntil,
    },
  ) as unknown as Upstream
  const second = upstreamOf(1, () => 10)
  const ranking = createRanking([first, second])
  const reading = {}
  const choose = (siblings?: object, tried: Upstream[] = []) => ranking.choose(tried, HOUR, false, siblings)
  expect(choose(reading)).toBe(first)
  busy = true
  expect(choose(reading)).toBe(first)
  expect([choose(), choose({}), choose(reading, [first])]).toEqual([second, second, second])
  busy = false
  for (const change of [() => (lags = true), () => (pausedUntil = HOUR + 1)]) {
    ;[lags, pausedUntil] = [false, 0]
    const other = {}
    ranking.invalidate()
    expect(choose(other)).toBe(first)
    change()
    ranking.invalidate()
    expect(choose(other)).toBe(second)
  }
})

it('of busy ones that with the fewest calls waiting is asked, and has its probe taken by that', () => {
  const probes: number[] = []
  const busy = (index: number, waiting: number): Upstream =>
    ({
      ...upstreamOf(index, () => 10),
      breaker: { state: () => 'closed', probeDue: () => false, takeProbe: () => void probes.push(index) },
      gate: { room: () => false, waiting: () => waiting },
    }) as unknown as Upstream
  const upstreams = [busy(0, 5), busy(1, 2), busy(2, 3)]
  expect(createRanking(upstreams).choose([], HOUR, false)).toBe(upstreams[1])
  expect(probes).toEqual([1])
})

it('forgets how small batches had to be also behind a clock that was set back', () => {
  const limit = createBatchLimit(100, () => undefined)
  limit.tooMany(50, HOUR)
  expect(limit.items(HOUR + 1)).toBe(50)
  expect(limit.items(1_000)).toBe(100)
})
