import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGuessBudget } from '../../src/lib/guess-budget.ts'
import { steadyNow } from '../../src/lib/steady-clock.ts'

describe('guesses', () => {
  it('are free up to the burst, then one at a time', () => {
    let now = 0
    const guesses = createGuessBudget({ burst: 3, refillMs: 1_000 }, () => now)
    const tryOne = (address: string | undefined): boolean => {
      if (guesses.waitMs(address) > 0) return false
      guesses.failed(address)
      return true
    }
    expect([1, 2, 3, 4].map(() => tryOne('10.0.0.1'))).toEqual([true, true, true, false])
    expect(guesses.waitMs('10.0.0.1')).toBe(1_000)
    expect(tryOne('10.0.0.2')).toBe(true)
    expect(tryOne(undefined)).toBe(true)
    now = 999
    expect(guesses.waitMs('10.0.0.1')).toBeCloseTo(1)
    now = 1_000
    expect([1, 2].map(() => tryOne('10.0.0.1'))).toEqual([true, false])
    now = 100_000
    expect([1, 2, 3, 4].map(() => tryOne('10.0.0.1'))).toEqual([true, true, true, false])
  })

  it('are not held against an address for longer when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const guesses = createGuessBudget({ burst: 3, refillMs: 1_000 }, steadyNow)
    guesses.failed('10.0.0.1')
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(guesses.waitMs('10.0.0.1')).toBe(0)
  })

  it('of one IPv6 network and of both forms of an IPv4 address are counted together', () => {
    const guesses = createGuessBudget({ burst: 1, refillMs: 1_000 }, () => 0)
    guesses.failed('2001:db8:1:2:aaaa::1')
    expect(guesses.waitMs('2001:db8:1:2:bbbb:cccc:dddd:1')).toBe(1_000)
    expect(guesses.waitMs('2001:db8:1:3::1')).toBe(0)
    guesses.failed('2001:db8::1')
    expect(guesses.waitMs('2001:db8:0:0:5::')).toBe(1_000)
    guesses.failed('::ffff:10.0.0.9')
    expect(guesses.waitMs('10.0.0.9')).toBe(1_000)
  })
})
