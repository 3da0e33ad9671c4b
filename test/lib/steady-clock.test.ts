import { expect, it } from 'vitest'
import { createSteadyClock } from '../../src/lib/steady-clock.ts'

const HOUR = 3_600_000

it('begins at the wall clock and goes on when that is set back', () => {
  const machine = { wall: 1_000_000, monotonic: 50 }
  const now = createSteadyClock(
    () => machine.wall,
    () => machine.monotonic,
  )
  const pass = (ms: number): number => {
    machine.wall += ms
    machine.monotonic += ms
    return now()
  }
  expect(now()).toBe(1_000_000)
  expect(pass(10)).toBe(1_000_010)
  machine.wall -= HOUR
  expect(now()).toBe(1_000_010)
  expect(pass(5)).toBe(1_000_015)
  // It does not run double until the time is made up again.
  expect(pass(HOUR)).toBe(1_000_015 + HOUR)
})

it('what was kept while the machine slept is old, though its own clock stood still', () => {
  const machine = { wall: 1_000_000, monotonic: 50 }
  const now = createSteadyClock(
    () => machine.wall,
    () => machine.monotonic,
  )
  now()
  machine.wall += HOUR
  expect(now()).toBe(1_000_000 + HOUR)
})
