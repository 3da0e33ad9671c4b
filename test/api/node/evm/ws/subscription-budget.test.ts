import { expect, it } from 'vitest'
import { createSubscriptionBudget } from '../../../../../src/api/node/evm/ws/subscription-budget.ts'

it('gives as many as there may be at any pace, then so many a second, and no more for a long pause', () => {
  let now = 0
  const take = createSubscriptionBudget(3, 2, () => now)
  const taken = (): boolean[] => Array.from({ length: 4 }, take)
  expect(taken()).toEqual([true, true, true, false])
  now += 499
  expect(take()).toBe(false)
  now += 1
  expect([take(), take()]).toEqual([true, false])
  now += 3_600_000
  expect(taken()).toEqual([true, true, true, false])
})
