import { afterEach, describe, expect, it, vi } from 'vitest'
import { createIdentityCheck } from '../../../src/upstream/health/identity-check.ts'

const check = (ask: () => Promise<string | undefined>) =>
  createIdentityCheck({ ask, matches: (identity) => identity === 'right' })

afterEach(() => vi.useRealTimers())

describe('createIdentityCheck', () => {
  it('asks once when the network is right', async () => {
    const ask = vi.fn(async () => 'right')
    const isHere = check(ask)
    expect(await Promise.all([isHere(), isHere()])).toEqual([true, true])
    expect(await isHere()).toBe(true)
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('refuses a wrong network until it has become right', async () => {
    vi.useFakeTimers()
    let identity = 'wrong'
    const isHere = check(async () => identity)
    expect(await isHere()).toBe(false)
    identity = 'right'
    expect(await isHere()).toBe(false)
    vi.advanceTimersByTime(60_000)
    expect(await isHere()).toBe(true)
  })

  it('believes a server that cannot tell, and asks again later', async () => {
    vi.useFakeTimers()
    const answers: (() => Promise<string | undefined>)[] = [
      async () => undefined,
      () => Promise.reject(new Error('no such method')),
      async () => 'wrong',
    ]
    const ask = vi.fn(() => answers[ask.mock.calls.length - 1]?.() ?? Promise.resolve('wrong'))
    const isHere = check(ask)
    expect([await isHere(), await isHere()]).toEqual([true, true])
    expect(ask).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(60_000)
    expect([await isHere(), await isHere()]).toEqual([true, true])
    expect(ask).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(60_000)
    expect(await isHere()).toBe(false)
  })
})
