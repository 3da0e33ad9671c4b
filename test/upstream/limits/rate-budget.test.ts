import { expect, test } from 'vitest'
import { createRateBudget } from '../../../src/upstream/limits/rate-budget.ts'

test('bursts up to one second, then the steady rate', () => {
  const budget = createRateBudget(10, 0)
  for (let count = 0; count < 10; count += 1) expect(budget.take(0)).toBe(true)
  expect(budget.take(0)).toBe(false)
  expect(budget.nextAt(0)).toBe(100)
  expect(budget.take(50)).toBe(false)
  expect(budget.nextAt(50)).toBe(100)
  expect(budget.take(99)).toBe(false)
  expect(budget.take(100)).toBe(true)
  expect(budget.take(100)).toBe(false)
})

test('never saves more than one second', () => {
  const budget = createRateBudget(5, 0)
  let taken = 0
  while (budget.take(1_000_000)) taken += 1
  expect(taken).toBe(5)
})

test('less than one request per second still lets one through', () => {
  const budget = createRateBudget(0.5, 0)
  expect(budget.take(0)).toBe(true)
  expect(budget.available(1_999)).toBe(false)
  expect(budget.available(2_000)).toBe(true)
})

test('a clock that is set back does not freeze the bucket', () => {
  const budget = createRateBudget(10, 1_000_000)
  while (budget.take(1_000_000));
  expect(budget.take(500_000)).toBe(false)
  expect(budget.take(500_100)).toBe(true)
})

/** Takes whatever there is, a hundred times a second, of which so many a second are answered. */
const run = (budget: ReturnType<typeof createRateBudget>, from: number, seconds: number, borne: number): number => {
  let [taken, answered] = [0, 0]
  for (let at = from; at < from + seconds * 1_000; at += 10) {
    if (!budget.take(at)) continue
    taken += 1
    if (answered >= ((at - from) / 1_000) * borne) continue
    answered += 1
    budget.answered(at)
  }
  return taken
}

test('a refusal halves the rate, though not below nine tenths of what was answered', () => {
  const budget = createRateBudget(100, 0)
  run(budget, 0, 5, 30)
  budget.refused(4_999)
  expect(budget.rate(4_999)).toBeCloseTo(50, 1)
  for (const again of [1, 2, 3]) budget.refused(4_999 + again / 10)
  expect(budget.rate(4_999.5)).toBeCloseTo(27, 0)
})

test('after a refusal no more goes at once than a quarter of a second brings, and soon as much as before', () => {
  const budget = createRateBudget(100, 0)
  run(budget, 0, 5, 0)
  budget.refused(5_000)
  const rate = budget.rate(5_000)
  expect(rate).toBe(50)
  let atOnce = 0
  while (budget.take(6_000)) atOnce += 1
  expect(atOnce).toBe(Math.floor(budget.rate(6_000) / 4))
  expect(run(budget, 10_000, 1, 0)).toBeGreaterThan(50)
  expect(budget.rate(19_300)).toBeCloseTo(100, 0)
  expect(budget.rate(60_000)).toBe(100)
  expect(budget.available(60_000)).toBe(true)
})

test('a refusal of one call among few is not to keep many others away', () => {
  const budget = createRateBudget(1_000, 0)
  run(budget, 0, 5, 1_000)
  const few = createRateBudget(1_000, 0)
  few.take(1_000)
  few.refused(1_010)
  expect(few.rate(1_010)).toBeCloseTo(5, 1)
  expect(few.rate(40_000)).toBeGreaterThan(30)
  expect(budget.rate(5_000)).toBe(1_000)
})

test('a refusal after a quiet time is measured by the calls of its own seconds', () => {
  const budget = createRateBudget(100, 0)
  run(budget, 0, 5, 100)
  budget.take(10_000)
  budget.refused(10_010)
  expect(budget.rate(10_010)).toBeCloseTo(5, 1)
})

test('however often it is refused, one in two seconds is tried', () => {
  const budget = createRateBudget(50, 0)
  for (let count = 0; count < 20; count++) budget.refused(count)
  expect(budget.rate(20)).toBeCloseTo(0.5, 2)
  expect(budget.take(3_000)).toBe(true)
  expect(budget.take(3_010)).toBe(false)
  expect(budget.take(5_000)).toBe(true)
})

test('what was saved up is gone with a refusal, even in the same moment', () => {
  const budget = createRateBudget(100, 0)
  for (let count = 0; count < 10; count += 1) budget.take(0)
  budget.refused(0)
  expect([budget.take(0), budget.take(0)]).toEqual([true, false])
})
