import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import { createWorkQueue } from '../../../src/lib/waiting/work-queue.ts'
import { gate } from '../../support/waiting/gate.ts'

const full = (): Error => new Error('the queue is full')

describe('a work queue', () => {
  it('runs no more at once than it may, in the order of arrival', async () => {
    const queue = createWorkQueue({ running: 2, waiting: 10 }, full)
    const held = gate()
    const order: number[] = []
    let most = 0
    let now = 0
    const all = [1, 2, 3, 4, 5].map((id) =>
      queue(async () => {
        order.push(id)
        now += 1
        most = Math.max(most, now)
        await held.opened
        now -= 1
      }),
    )
    held.open()
    await Promise.all(all)
    expect(most).toBe(2)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  it('refuses who finds it full, and is free again afterwards, also after failures', async () => {
    const queue = createWorkQueue({ running: 1, waiting: 1 }, full)
    const held = gate()
    const first = queue(() => held.opened)
    const second = queue(() => Promise.reject(new Error('broken')))
    await expect(queue(async () => 'third')).rejects.toThrow('the queue is full')
    held.open()
    await first
    await expect(second).rejects.toThrow('broken')
    expect(await queue(async () => 'fourth')).toBe('fourth')
  })

  it('counts who has waited among those who run', async () => {
    const queue = createWorkQueue({ running: 1, waiting: 2 }, full)
    const [one, other] = [gate(), gate()]
    const first = queue(() => one.opened)
    let running = 0
    const second = queue(async () => {
      running += 1
      await other.opened
      running -= 1
    })
    one.open()
    await first
    const third = queue(async () => running)
    await new Promise(setImmediate)
    other.open()
    await second
    expect(await third).toBe(0)
  })

  it('lets who waits leave, and nobody begin who has left', async () => {
    const queue = createWorkQueue({ running: 1, waiting: 1 }, full)
    const held = gate()
    const first = queue(() => held.opened)
    const leaving = new AbortController()
    const second = queue(async () => 'never', leaving.signal)
    leaving.abort()
    await expect(second).rejects.toThrow(CancelledError)
    const staying = new AbortController()
    const third = queue(async () => 'third', staying.signal)
    held.open()
    await first
    expect(await third).toBe('third')
    expect(getEventListeners(staying.signal, 'abort')).toEqual([])
    await expect(queue(async () => 'x', AbortSignal.abort())).rejects.toThrow(CancelledError)
  })
})
