import { expect, test } from 'vitest'
import { createBreaker } from '../../../src/upstream/health/breaker.ts'

const start = () => {
  const states: string[] = []
  const breaker = createBreaker({ breakerFailures: 3, breakerOpenMs: 100 }, (state) => states.push(state))
  return { breaker, states }
}

test('opens after consecutive failures only', () => {
  const { breaker, states } = start()
  breaker.failure(0)
  breaker.failure(0)
  breaker.success()
  breaker.failure(0)
  breaker.failure(0)
  expect(breaker.state()).toBe('closed')
  breaker.failure(0)
  expect(breaker.state()).toBe('open')
  expect(states).toEqual(['open'])
})

test('lets exactly one probe through after the open time', () => {
  const { breaker } = start()
  for (let count = 0; count < 3; count += 1) breaker.failure(0)
  expect(breaker.probeDue(99)).toBe(false)
  breaker.takeProbe(99)
  expect(breaker.state()).toBe('open')
  expect(breaker.probeDue(100)).toBe(true)
  breaker.takeProbe(100)
  expect(breaker.state()).toBe('half-open')
  expect(breaker.probeDue(100)).toBe(false)
})

test('a clock that is set back does not keep an upstream away for as long', () => {
  const { breaker } = start()
  for (let count = 0; count < 3; count += 1) breaker.failure(1_000_000)
  expect(breaker.probeDue(1_000_000)).toBe(false)
  expect(breaker.probeDue(0)).toBe(true)
})

test('a failed probe opens for another full time, a good one closes', () => {
  const { breaker, states } = start()
  for (let count = 0; count < 3; count += 1) breaker.failure(0)
  breaker.takeProbe(100)
  breaker.failure(110)
  expect(breaker.probeDue(209)).toBe(false)
  expect(breaker.probeDue(210)).toBe(true)
  breaker.takeProbe(210)
  breaker.success()
  expect(states).toEqual(['open', 'half-open', 'open', 'half-open', 'closed'])
})

test('a probe that was cancelled leaves room for the next; failures while open do not push it away', () => {
  const { breaker } = start()
  for (let count = 0; count < 3; count += 1) breaker.failure(0)
  breaker.takeProbe(100)
  breaker.inconclusive()
  expect(breaker.probeDue(100)).toBe(true)
  breaker.failure(100)
  expect(breaker.probeDue(100)).toBe(true)
})

test('a call without a result changes nothing while no probe is under way', () => {
  const { breaker, states } = start()
  breaker.inconclusive()
  expect(breaker.state()).toBe('closed')
  for (let count = 0; count < 3; count += 1) breaker.failure(0)
  breaker.inconclusive()
  expect(states).toEqual(['open'])
})
