import { expect, test } from 'vitest'
import { createRateBudget } from '../../src/upstream/rate-budget.ts'

test('bursts up to one second, then the steady rate', () => {
  const budget = createRateBudget(10, 0)
  for (let count = 0; count < 10; count += 1) expect(budget.take(0)).toBe(true)
  expect(budget.take(0)).toBe(false)
  expect(budget.nextAt(0)).toBe(100)
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
