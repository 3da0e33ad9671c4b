import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import { createAttempts } from '../../../src/services/keystore/attempts.ts'
import { KeystoreBusyError, WrongPasswordError } from '../../../src/services/keystore/errors.ts'
import { createPasswordHasher } from '../../../src/services/keystore/password-hash.ts'
import { createSignIn } from '../../../src/services/keystore/sign-in.ts'
import { createSlots } from '../../../src/services/keystore/slots.ts'

const open = new AbortController().signal

describe('slots for password checks', () => {
  const gate = () => {
    let release = (): void => {}
    const opened = new Promise<void>((resolve) => {
      release = resolve
    })
    return { opened, release }
  }

  it('run no more at once than there is memory for, in the order of arrival', async () => {
    const slots = createSlots({ running: 2, waiting: 10 })
    const { opened, release } = gate()
    const order: number[] = []
    let most = 0
    let now = 0
    const all = [1, 2, 3, 4, 5].map((id) =>
      slots.run(async () => {
        order.push(id)
        now += 1
        most = Math.max(most, now)
        await opened
        now -= 1
      }, open),
    )
    release()
    await Promise.all(all)
    expect(most).toBe(2)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  it('refuse who finds the queue full, and are free again afterwards, also after failures', async () => {
    const slots = createSlots({ running: 1, waiting: 1 })
    const { opened, release } = gate()
    const first = slots.run(() => opened, open)
    const second = slots.run(() => Promise.reject(new Error('broken')), open)
    await expect(slots.run(async () => 'third', open)).rejects.toThrow(KeystoreBusyError)
    release()
    await first
    await expect(second).rejects.toThrow('broken')
    expect(await slots.run(async () => 'fourth', open)).toBe('fourth')
  })

  it('let waiting callers leave', async () => {
    const slots = createSlots({ running: 1, waiting: 1 })
    const { opened, release } = gate()
    const first = slots.run(() => opened, open)
    const leaving = new AbortController()
    const second = slots.run(async () => 'never', leaving.signal)
    leaving.abort()
    await expect(second).rejects.toThrow(CancelledError)
    const third = slots.run(async () => 'third', open)
    release()
    await first
    expect(await third).toBe('third')
    await expect(slots.run(async () => 'x', AbortSignal.abort())).rejects.toThrow(CancelledError)
  })
})

describe('attempts', () => {
  it('are free up to the burst, then one at a time', () => {
    let now = 0
    const attempts = createAttempts({ burst: 3, refillMs: 1_000 }, () => now)
    const tryOne = (address: string | undefined): boolean => {
      try {
        attempts.admit(address)
      } catch {
        return false
      }
      attempts.failed(address)
      return true
    }
    expect([1, 2, 3, 4].map(() => tryOne('10.0.0.1'))).toEqual([true, true, true, false])
    expect(tryOne('10.0.0.2')).toBe(true)
    expect(tryOne(undefined)).toBe(true)
    now = 999
    expect(tryOne('10.0.0.1')).toBe(false)
    now = 1_000
    expect([1, 2].map(() => tryOne('10.0.0.1'))).toEqual([true, false])
    now = 100_000
    expect([1, 2, 3, 4].map(() => tryOne('10.0.0.1'))).toEqual([true, true, true, false])
  })

  it('are not held against an address for longer when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const attempts = createAttempts({ burst: 3, refillMs: 1_000 })
    attempts.failed('10.0.0.1')
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(() => attempts.admit('10.0.0.1')).not.toThrow()
  })

  it('of one IPv6 network and of both forms of an IPv4 address are counted together', () => {
    const attempts = createAttempts({ burst: 1, refillMs: 1_000 }, () => 0)
    attempts.failed('2001:db8:1:2:aaaa::1')
    expect(() => attempts.admit('2001:db8:1:2:bbbb:cccc:dddd:1')).toThrow('too many failed attempts')
    expect(() => attempts.admit('2001:db8:1:3::1')).not.toThrow()
    attempts.failed('2001:db8::1')
    expect(() => attempts.admit('2001:db8:0:0:5::')).toThrow('too many failed attempts')
    attempts.failed('::ffff:10.0.0.9')
    expect(() => attempts.admit('10.0.0.9')).toThrow('too many failed attempts')
  })
})

describe('signing in', () => {
  const hasher = createPasswordHasher(createSlots({ running: 2, waiting: 10 }))
  const signInAs = async (burst: number) => {
    const known = await hasher.create(Buffer.from('right'), open)
    const find = async () => ({ name: Buffer.from('alice'), ...known })
    return createSignIn({ records: { find }, hasher, attempts: createAttempts({ burst, refillMs: 3_600_000 }) })
  }
  const caller = { address: '10.0.0.1', signal: open }

  it('counts only failures and then refuses even the right password, of this address alone', async () => {
    const signIn = await signInAs(2)
    const right = { username: 'alice', password: 'right' }
    for (let i = 0; i < 4; i += 1) await signIn.user(right, caller)
    const wrong = { username: 'alice', password: 'wrong' }
    for (let i = 0; i < 2; i += 1) await expect(signIn.user(wrong, caller)).rejects.toThrow(WrongPasswordError)
    await expect(signIn.user(right, caller)).rejects.toThrow('too many failed attempts, try again later')
    await signIn.user(right, { ...caller, address: '10.0.0.2' })
  })

  it('never shows a password in what it throws', async () => {
    const signIn = await signInAs(5)
    const error = await signIn
      .user({ username: 'alice', password: 'S3cret!' }, caller)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WrongPasswordError)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('S3cret')
  })
})
