import { expect, it } from 'vitest'
import { createRecentlySent } from '../../../../../../src/api/node/evm/ws/subscriptions/recently-sent.ts'

it('what one subscription was told another one was not', () => {
  const { enter } = createRecentlySent()
  const [one, other] = [enter(), enter()]
  expect([one('a'), one('a'), other('a'), other('a'), one('b')]).toEqual([true, false, true, false, true])
})

it('is remembered for eight heads at least, and not for ever', () => {
  const { enter, head } = createRecentlySent()
  const isFirst = enter()
  const heads = (count: number) => Array.from({ length: count }, head)
  heads(5)
  isFirst('a')
  heads(8)
  expect(isFirst('a')).toBe(false)
  heads(8)
  expect(isFirst('a')).toBe(true)
})

it('is remembered for the latter half of what there is room for at least, and no more than that', () => {
  const isFirst = createRecentlySent(10).enter()
  const numbers = Array.from({ length: 23 }, (_, at) => String(at))
  expect(numbers.every(isFirst)).toBe(true)
  expect(numbers.slice(-5).some(isFirst)).toBe(false)
  expect(isFirst('0')).toBe(true)
})
