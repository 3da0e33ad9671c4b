import { describe, expect, it } from 'vitest'
import { createSplitWatch } from '../../../src/services/balances/split-watch.ts'

const token = (address: string, caip2Id = 'eip155:1') => ({ caip2Id, address })

function watchAt(settleMs = 1_000) {
  const clock = { now: 5_000_000 }
  return { clock, ...createSplitWatch(settleMs, () => clock.now) }
}

describe('a multiplier', () => {
  it('that was not seen before is settled, and stays so as long as it is the same', () => {
    const { isSettled } = watchAt()
    for (const _ of [1, 2]) expect(isSettled(token('a'), 4)).toBe(true)
  })

  it.each([
    ['a split', 1, 4],
    ['a reverse split', 1, 0.1],
  ])('of %s is not, until the time is over', (_, before, after) => {
    const { clock, isSettled } = watchAt()
    isSettled(token('a'), before)
    clock.now += 60_000
    expect(isSettled(token('a'), after)).toBe(false)
    clock.now += 999
    expect(isSettled(token('a'), after)).toBe(false)
    clock.now += 1
    expect(isSettled(token('a'), after)).toBe(true)
  })

  it('that comes and goes, as from servers of which one lags, is settled when it no longer does', () => {
    const { clock, isSettled } = watchAt()
    for (const multiplier of [1, 4, 1, 4]) {
      isSettled(token('a'), multiplier)
      clock.now += 900
    }
    expect(isSettled(token('a'), 4)).toBe(false)
    clock.now += 100
    expect(isSettled(token('a'), 4)).toBe(true)
  })

  it('that grows by interest or a dividend is settled all the time', () => {
    const { isSettled } = watchAt()
    for (let multiplier = 1; multiplier < 3; multiplier *= 1.009) expect(isSettled(token('a'), multiplier)).toBe(true)
  })

  it('is that of one token of one chain', () => {
    const { isSettled } = watchAt()
    isSettled(token('a'), 1)
    expect(isSettled(token('a'), 4)).toBe(false)
    expect(isSettled(token('b'), 4)).toBe(true)
    expect(isSettled(token('a', 'eip155:2'), 4)).toBe(true)
  })

  it('is forgotten where ten thousand others came after it', () => {
    const { isSettled } = watchAt()
    isSettled(token('first'), 1)
    isSettled(token('second'), 1)
    for (let at = 0; at < 9_999; at++) isSettled(token(`more ${at}`), 1)
    expect(isSettled(token('second'), 4)).toBe(false)
    expect(isSettled(token('first'), 4)).toBe(true)
  })
})

it('a time of 0 settles every split at once', () => {
  const { isSettled } = watchAt(0)
  isSettled(token('a'), 1)
  expect(isSettled(token('a'), 4)).toBe(true)
})
