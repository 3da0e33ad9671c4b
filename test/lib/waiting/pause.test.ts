import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { pause } from '../../../src/lib/waiting/pause.ts'

describe('pause', () => {
  it('leaves nothing on the signal however often it is repeated', async () => {
    const { signal } = new AbortController()
    for (let round = 0; round < 12; round += 1) await pause(0, signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends at once when the signal is aborted, before or meanwhile', async () => {
    const controller = new AbortController()
    const waiting = pause(3_600_000, controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    controller.abort()
    await waiting
    await pause(3_600_000, controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})
