import { describe, expect, it } from 'vitest'
import { untilAborted } from '../../../src/lib/waiting/until-aborted.ts'

describe('untilAborted', () => {
  it('gives what the promise gives', async () => {
    const { signal } = new AbortController()
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7)
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  })

  it('leaves a promise that never settles, and one that settles later', async () => {
    const controller = new AbortController()
    let fail: (error: Error) => void = () => {}
    const shared = new Promise((_, reject) => {
      fail = reject
    })
    const waiting = untilAborted(shared, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toThrow('cancelled')
    await expect(untilAborted(shared, controller.signal)).rejects.toThrow('cancelled')
    // Must not surface as an unhandled rejection.
    fail(new Error('late'))
  })
})
