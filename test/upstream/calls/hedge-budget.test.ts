import { expect, it } from 'vitest'
import { createHedgeBudget } from '../../../src/upstream/calls/hedge-budget.ts'

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
