import { expect, it } from 'vitest'
import { createTurnstile } from '../../../../../src/api/node/forward/writes/turnstile.ts'
import { gate } from '../../../../support/waiting/gate.ts'

it('calls to one node run one after the other, and many more than may wait at once get their turn', async () => {
  const turnstile = createTurnstile()
  let running = 0
  const order: number[] = []
  const call = (number: number) =>
    turnstile.pass('node', async () => {
      running += 1
      expect(running).toBe(1)
      await Promise.resolve()
      order.push(number)
      running -= 1
      // A call that fails gives its place up like any other.
      if (number % 3 === 0) throw new Error('it failed')
    })
  for (let turn = 0; turn < 3; turn += 1) {
    const passed = Array.from({ length: 32 }, (_, at) => call(32 * turn + at))
    expect(turnstile.load('node')).toBe(32)
    await expect(turnstile.pass('node', async () => undefined)).rejects.toThrow('too many calls wait')
    expect(await turnstile.pass('another', async () => 'free')).toBe('free')
    await Promise.allSettled(passed)
    expect(turnstile.load('node')).toBe(0)
  }
  expect(order).toEqual(Array.from({ length: 96 }, (_, at) => at))
})

it('a call that comes while the last of several runs waits for that one', async () => {
  const turnstile = createTurnstile()
  const order: string[] = []
  const held = gate()
  const first = turnstile.pass('node', async () => void order.push('first'))
  const last = turnstile.pass('node', async () => {
    await held.opened
    order.push('last')
  })
  await first
  const newcomer = turnstile.pass('node', async () => void order.push('newcomer'))
  await turnstile.pass('another', async () => undefined)
  held.open()
  await Promise.all([last, newcomer])
  expect(order).toEqual(['first', 'last', 'newcomer'])
})
