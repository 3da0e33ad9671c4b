import { describe, expect, it } from 'vitest'
import { createGuessBudget } from '../../../src/lib/guess-budget.ts'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { createWorkQueue } from '../../../src/lib/waiting/work-queue.ts'
import { KeystoreBusyError, WrongPasswordError } from '../../../src/services/keystore/errors.ts'
import { createPasswordHasher } from '../../../src/services/keystore/password-hash.ts'
import { createSignIn, withBytes } from '../../../src/services/keystore/sign-in.ts'

const open = new AbortController().signal

it.each([false, true])(
  'bytes of a password are overwritten after their use, also where it fails: %s',
  async (fails) => {
    let seen: Uint8Array = Buffer.alloc(0)
    const use = async (bytes: Uint8Array) => {
      seen = bytes
      expect(Buffer.from(bytes).toString()).toBe('secret')
      if (fails) throw new KeystoreBusyError()
    }
    await withBytes('secret', use).catch(() => undefined)
    expect([...seen]).toEqual([0, 0, 0, 0, 0, 0])
  },
)

describe('signing in', () => {
  const hasher = createPasswordHasher(createWorkQueue({ running: 2, waiting: 10 }, () => new KeystoreBusyError()))
  const signInAs = async (burst: number) => {
    const known = await hasher.create(Buffer.from('right'), open)
    const find = async () => ({ name: Buffer.from('alice'), ...known })
    return createSignIn({
      records: { find },
      hasher,
      guesses: createGuessBudget({ burst, refillMs: 3_600_000 }, steadyNow),
    })
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

  it('refuses those that waited while others used up what their address may guess', async () => {
    const signIn = await signInAs(2)
    const guess = () =>
      signIn.user({ username: 'alice', password: 'wrong' }, caller).catch((thrown: Error) => thrown.message)
    const told = await Promise.all(Array.from({ length: 10 }, guess))
    // Two are checked at once, so that one more may begin before the second has failed.
    expect(told.filter((message) => message === 'incorrect password').length).toBeLessThanOrEqual(3)
    expect(
      told.filter((message) => message === 'too many failed attempts, try again later').length,
    ).toBeGreaterThanOrEqual(7)
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
