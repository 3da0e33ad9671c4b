import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { inTime } from '../../../src/lib/waiting/in-time.ts'

const never = new Promise<string>(() => {})
const AN_HOUR = 3_600_000
const late = (): string => 'late'

describe('work in time', () => {
  it('is what it comes to: a value or an error', async () => {
    expect(await inTime(Promise.resolve('done'), AN_HOUR, late)).toBe('done')
    await expect(inTime(Promise.reject(new Error('broken')), AN_HOUR, late)).rejects.toThrow('broken')
  })

  it('is what stands in for it, or is thrown, once the time has passed', async () => {
    expect(await inTime(never, 1, late)).toBe('late')
    const refuse = (): never => {
      throw new Error('too late')
    }
    await expect(inTime(never, 1, refuse)).rejects.toThrow('too late')
  })

  it('is not waited for behind the signal, nor where that was aborted before', async () => {
    const leaving = new AbortController()
    const waited = inTime(never, AN_HOUR, late, leaving.signal)
    leaving.abort()
    expect(await waited).toBe('late')
    expect(await inTime(never, AN_HOUR, late, leaving.signal)).toBe('late')
  })

  it('that fails when nobody waits any more is nobody’s trouble', async () => {
    let fail = (_error: Error): void => {}
    const work = new Promise<string>((_, reject) => {
      fail = reject
    })
    expect(await inTime(work, 1, late)).toBe('late')
    // An unhandled rejection would fail the run.
    fail(new Error('afterwards'))
    await new Promise(setImmediate)
  })

  it('leaves neither listener nor timer behind', async () => {
    const { signal } = new AbortController()
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    await inTime(Promise.resolve('done'), AN_HOUR, late, signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(timers()).toBe(before)
  })
})
