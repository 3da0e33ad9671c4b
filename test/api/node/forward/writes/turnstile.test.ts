import { expect, it } from 'vitest'
import { createTurnstile } from '../../../../../src/api/node/forward/writes/turnstile.ts'

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
