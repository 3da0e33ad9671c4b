import { expect, it } from 'vitest'
import { createHedgeBudget, hedgeDelay } from '../../../src/upstream/calls/hedge-budget.ts'
import { createLatencyEstimator } from '../../../src/upstream/health/latency.ts'
import type { Upstream } from '../../../src/upstream/upstream.ts'

const PER_HEDGE = 10

function start() {
  const clock = { now: 5_000 }
  const budget = createHedgeBudget(PER_HEDGE, () => clock.now)
  const spent = (): number => {
    let count = 0
    while (budget.spend()) count += 1
    return count
  }
  return { clock, budget, spent }
}

it('ten hedges are saved up at first, and one is earned by ten reads', () => {
  const { budget, spent } = start()
  expect(spent()).toBe(10)
  for (let read = 0; read < 29; read += 1) budget.earn()
  expect(spent()).toBe(2)
  budget.earn()
  expect(spent()).toBe(1)
})

it('one is earned by each second, ten at most', () => {
  const { clock, spent } = start()
  spent()
  clock.now += 999
  expect(spent()).toBe(0)
  clock.now += 1
  expect(spent()).toBe(1)
  clock.now += 3_600_000
  expect(spent()).toBe(10)
})

it.each([
  ['is asked beside as late as it usually answers', 400, 150, 400],
  ['that once stood still for long is waited for a second', 15_000, 150, 1_000],
  ['is waited for as long as configured', 15_000, 2_000, 2_000],
])('a slow server %s', (_, answersMs, minimum, delay) => {
  const latency = createLatencyEstimator()
  for (let answer = 0; answer < 10; answer += 1) latency.add(answersMs)
  expect(hedgeDelay({ breaker: { state: () => 'closed' }, latency } as Upstream, minimum)).toBe(delay)
})
