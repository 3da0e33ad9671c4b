import { expect, it } from 'vitest'
import { createPairBudget } from '../../../../src/chains/evm/sweep/pair-budget.ts'

it('comes down at once, goes up slowly, and stays between one and the largest', () => {
  const budget = createPairBudget(1_000)
  budget.shrink(500)
  expect(budget.size()).toBe(500)
  budget.shrink(800)
  expect(budget.size()).toBe(500)
  budget.passed(100)
  expect(budget.size()).toBe(500)
  budget.passed(500)
  expect(budget.size()).toBe(550)
  for (let n = 0; n < 20; n++) budget.passed(1_000)
  expect(budget.size()).toBe(1_000)
  budget.shrink(0)
  expect(budget.size()).toBe(1)
})

it.each([1, 2, 3, 4, 5, 10, 600])('comes back from %d, by calls as large as it allows', (few) => {
  const budget = createPairBudget(1_000)
  budget.shrink(few)
  for (let n = 0; n < 100; n++) budget.passed(budget.size())
  expect(budget.size()).toBe(1_000)
})
