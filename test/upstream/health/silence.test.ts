import { expect, it } from 'vitest'
import { createSilence } from '../../../src/upstream/health/silence.ts'

it('who answers nothing while others do is silent since any moment before, until it answers', () => {
  let now = 10
  const { spoke, outpaced, silentSince } = createSilence(() => now)
  expect(silentSince(5)).toBe(false)
  outpaced()
  expect([5, 10, 11].map(silentSince)).toEqual([true, true, false])
  now = 20
  spoke()
  expect([5, 10, 20].map(silentSince)).toEqual([false, false, false])
  now = 30
  outpaced()
  expect([20, 21].map(silentSince)).toEqual([false, true])
})
