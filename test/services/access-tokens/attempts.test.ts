import { expect, it } from 'vitest'
import { ATTEMPT_LIMITS, createAttempts } from '../../../src/services/access-tokens/attempts.ts'
import { gate } from '../../support/waiting/gate.ts'

it('passwords are checked two at a time, and 64 may wait', async () => {
  const attempts = createAttempts(ATTEMPT_LIMITS, () => 0)
  const held = gate()
  let [begun, most] = [0, 0]
  const check = async (): Promise<boolean> => {
    begun += 1
    most = Math.max(most, begun)
    await held.opened
    begun -= 1
    return true
  }
  const all = Array.from({ length: 66 }, (_, n) => attempts.run(`10.0.0.${n}`, check))
  await expect(attempts.run('10.0.1.1', check)).rejects.toThrow('too many passwords are being checked')
  held.open()
  expect(await Promise.all(all)).toEqual(Array.from({ length: 66 }, () => true))
  expect(most).toBe(2)
})

it('passwords are guessed no faster by guesses that wait for each other', async () => {
  const attempts = createAttempts({ burst: 2, refillMs: 1_000, running: 1, waiting: 8 }, () => 0)
  let checked = 0
  const check = async (): Promise<boolean> => {
    checked += 1
    return false
  }
  await Promise.allSettled(Array.from({ length: 6 }, () => attempts.run('10.0.0.1', check)))
  expect(checked).toBe(2)
})

it('passwords are guessed no faster from the many addresses of one household', async () => {
  const attempts = createAttempts({ burst: 2, refillMs: 1_000, running: 1, waiting: 8 }, () => 0)
  const guess = (from: string) => attempts.run(from, async () => false).catch((error: Error) => error.message)
  expect([await guess('2001:db8::1'), await guess('2001:db8:0:0:7::2')]).toEqual([false, false])
  expect(await guess('2001:db8::3')).toBe('too many incorrect passwords, try again in 1s')
  expect(await guess('2001:db8:0:1::1')).toBe(false)
})
