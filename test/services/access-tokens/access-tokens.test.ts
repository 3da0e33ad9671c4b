import { readFileSync } from 'node:fs'
import { hashRaw } from '@node-rs/argon2'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { tokenJson } from '../../../src/api/node/auth/index.ts'
import {
  type AccessTokens,
  type AccessTokensDeps,
  createAccessTokens,
} from '../../../src/services/access-tokens/index.ts'
import { deriveKey } from '../../../src/services/access-tokens/keys.ts'
import { signToken, verifyToken } from '../../../src/services/access-tokens/token.ts'
import type { Store } from '../../../src/store/index.ts'
import { openTestStore } from '../../support/store/store.ts'
import { gate } from '../../support/waiting/gate.ts'

const PASSWORD = 'Auth-Pw-1 correct horse battery'
const OTHER = 'Another-Good.Pw#93'
const REVOKED = 'the provided auth token was revoked'
const INVALID = 'signature is invalid'
const ALL = ['*']

interface Sample {
  token: string
  claimsRaw: string
  keyHex: string
}
const samples = JSON.parse(
  readFileSync(new URL('../../fixtures/legacy/jwt-samples.json', import.meta.url), 'utf8'),
) as Sample[]

describe('tokens of a real node', () => {
  it.each(samples)('are verified and made to the byte', ({ token, claimsRaw, keyHex }) => {
    const key = Buffer.from(keyHex, 'hex')
    const claims = JSON.parse(claimsRaw) as { exp: number; jti: string; endpoints: string[] }
    const before = BigInt(claims.exp - 1) * 1_000_000_000n
    expect(verifyToken(token, key, before, tokenJson)).toEqual({ ...claims, exp: BigInt(claims.exp) })
    expect(signToken({ ...claims, exp: BigInt(claims.exp) }, key)).toBe(token)
    expect(() => verifyToken(token, key, before + 1_000_000_000n, tokenJson)).toThrow(/^0s by token is expired$/)
    expect(() => verifyToken(token, key, before + 1_500_000_000n, tokenJson)).toThrow('500ms by token is expired')
    expect(() => verifyToken(token, Buffer.alloc(32), before, tokenJson)).toThrow(INVALID)
    expect(() => verifyToken(token, undefined, before, tokenJson)).toThrow(INVALID)
    expect(() => verifyToken(token.slice(0, -4), key, before, tokenJson)).toThrow(INVALID)
  })
})

it('a key costs whoever guesses as much as at a node: argon2id, 64 MiB each', async () => {
  const salt = Buffer.alloc(16, 7)
  const costs = { algorithm: 2, version: 1, timeCost: 1, memoryCost: 64 * 1_024, parallelism: 4, outputLen: 32 }
  expect(await deriveKey(PASSWORD, salt)).toEqual(await hashRaw(PASSWORD, { ...costs, salt }))
})

describe('access tokens', () => {
  let store: Store
  const open: AccessTokens[] = []

  const start = async (over: Partial<AccessTokensDeps> = {}): Promise<AccessTokens> => {
    const logger = pino({ level: 'silent' })
    const deps = { records: store.auth, json: tokenJson, logger, configured: PASSWORD, refreshMs: 0, ...over }
    const tokens = createAccessTokens(deps)
    open.push(tokens)
    await tokens.open()
    return tokens
  }
  const make = (tokens: AccessTokens, password = PASSWORD, endpoints = ALL): Promise<string> =>
    tokens.newToken({ password, endpoints }, undefined)
  const verdict = (tokens: AccessTokens, token: string, path = '/ext/info') => tokens.problem(token, path, true)

  beforeEach(async () => {
    store = openTestStore()
  })
  afterEach(async () => {
    for (const tokens of open.splice(0)) tokens.close()
    await store.close()
  })

  it('survive a restart while the password stays, and so do revocations', async () => {
    const first = await start()
    const [kept, gone] = [await make(first), await make(first)]
    await first.revokeToken({ password: PASSWORD, token: gone }, undefined)
    const second = await start()
    expect(verdict(second, kept)).toBeUndefined()
    expect(verdict(second, gone)).toBe(REVOKED)
    expect(verdict(await start({ configured: OTHER }), kept)).toBe(INVALID)
    // The first password again is another one, too: what it signed is not valid again.
    expect(verdict(await start(), kept)).toBe(INVALID)
  })

  it('die with their password, which stays changed over restarts', async () => {
    const first = await start()
    const token = await make(first)
    await first.changePassword({ oldPassword: PASSWORD, newPassword: OTHER }, undefined)
    expect(verdict(first, token)).toBe(INVALID)
    const later = await make(first, OTHER)
    const second = await start()
    expect(verdict(second, later)).toBeUndefined()
    await expect(make(second)).rejects.toThrow('incorrect password')
    await expect(make(second, OTHER)).resolves.toContain('.')
  })

  it('can be changed after a token was revoked elsewhere, but not after the password was', async () => {
    const [one, two] = [await start(), await start()]
    await two.revokeToken({ password: PASSWORD, token: await make(two) }, undefined)
    await one.changePassword({ oldPassword: PASSWORD, newPassword: OTHER }, undefined)
    await expect(two.changePassword({ oldPassword: PASSWORD, newPassword: `${OTHER}!` }, undefined)).rejects.toThrow(
      'incorrect password',
    )
  })

  it('are changed by one of two who want to at once', async () => {
    const tokens = await start()
    const change = (newPassword: string) => tokens.changePassword({ oldPassword: PASSWORD, newPassword }, undefined)
    const done = await Promise.allSettled([change(OTHER), change(`${OTHER}!`)])
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('hold in every process, and none where another password has taken over', async () => {
    const first = await start({ refreshMs: 10 })
    const second = await start({ refreshMs: 10 })
    const token = await make(first)
    expect(verdict(second, token)).toBeUndefined()
    await first.revokeToken({ password: PASSWORD, token }, undefined)
    await expect.poll(() => verdict(second, token)).toBe(REVOKED)
    const other = await make(second)
    await start({ configured: OTHER })
    await expect.poll(() => verdict(first, other)).toBe(INVALID)
    await expect(make(first)).rejects.toThrow('incorrect password')
  })

  it('are looked for in the store no more once closed, also in the middle of a look', async () => {
    const [asked, held] = [gate(), gate()]
    const generation = async (): Promise<bigint> => {
      asked.open()
      await held.opened
      return store.auth.generation()
    }
    // Nobody else waits for this long.
    const refreshMs = 37
    const tokens = await start({ records: { ...store.auth, generation }, refreshMs })
    await asked.opened
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => void timers.mockRestore())
    tokens.close()
    held.open()
    // Its turn comes behind the look.
    await tokens.revokeToken({ password: PASSWORD, token: 'none' }, undefined)
    expect(timers.mock.calls.filter(([, ms]) => ms === refreshMs)).toEqual([])
  })

  it('are not believed when the store has been silent for too long', async () => {
    let clock = Date.now()
    const tokens = await start({ refreshMs: 3_600_000, now: () => clock })
    expect(tokens.isCurrent()).toBe(true)
    clock += 60_000
    expect(tokens.isCurrent()).toBe(false)
  })

  it('are as current as the question to the store, not as its answer', async () => {
    let clock = Date.now()
    const told = gate()
    const generation = async (): Promise<bigint> => {
      const found = await store.auth.generation()
      clock += 60_000
      setImmediate(told.open)
      return found
    }
    const tokens = await start({ records: { ...store.auth, generation }, refreshMs: 10, now: () => clock })
    await told.opened
    expect(tokens.isCurrent()).toBe(false)
  })

  it('stay revoked where what another process did is being read meanwhile', async () => {
    const [asked, held] = [gate(), gate()]
    let isHeld = false
    const state = async () => {
      const found = await store.auth.state()
      if (isHeld) {
        asked.open()
        await held.opened
      }
      return found
    }
    const limits = { burst: 60, refillMs: 1_000, running: 1, waiting: 8 }
    const tokens = await start({ records: { ...store.auth, state }, refreshMs: 100, limits })
    const [gone, other] = [await make(tokens), await make(tokens)]
    isHeld = true
    await (await start()).revokeToken({ password: PASSWORD, token: other }, undefined)
    await asked.opened
    const revoking = tokens.revokeToken({ password: PASSWORD, token: gone }, undefined)
    // Its password is checked behind that one's.
    await make(tokens)
    await new Promise(setImmediate)
    held.open()
    await revoking
    // What was held has been read by then, and nothing is read again yet.
    await new Promise(setImmediate)
    expect(verdict(tokens, gone)).toBe(REVOKED)
  })

  it('live for twelve hours', async () => {
    let clock = Date.parse('2026-11-20T10:00:00.250Z')
    const tokens = await start({ now: () => clock })
    const token = await make(tokens)
    clock = Date.parse('2026-11-20T21:59:59.999Z')
    expect(verdict(tokens, token)).toBeUndefined()
    clock = Date.parse('2026-11-20T22:00:00.500Z')
    expect(verdict(tokens, token)).toBe('500ms by token is expired')
  })

  it('stay revoked up to their last second, whatever else is revoked meanwhile', async () => {
    let clock = Math.floor(Date.now() / 1_000) * 1_000
    const tokens = await start({ now: () => clock })
    const [gone, other] = [await make(tokens), await make(tokens)]
    await tokens.revokeToken({ password: PASSWORD, token: gone }, undefined)
    clock += 43_200_000 - 1
    await tokens.revokeToken({ password: PASSWORD, token: other }, undefined)
    expect(verdict(tokens, gone)).toBe(REVOKED)
    expect(verdict(await start({ now: () => clock }), gone)).toBe(REVOKED)
  })

  it('stay revoked where the clock was a day ahead meanwhile, and can be revoked while it is', async () => {
    let clock = Math.floor(Date.now() / 1_000) * 1_000
    const tokens = await start({ now: () => clock })
    const all = [await make(tokens), await make(tokens), await make(tokens)] as [string, string, string]
    const revoke = (token: string) => tokens.revokeToken({ password: PASSWORD, token }, undefined)
    await revoke(all[0])
    clock += 86_400_000
    await revoke(all[1])
    await revoke(await make(tokens))
    clock -= 86_400_000
    expect(all.map((token) => verdict(tokens, token))).toEqual([REVOKED, REVOKED, undefined])
  })

  it('slow guessing down, and let the address try again later', async () => {
    let clock = Date.now()
    const limits = { burst: 2, refillMs: 1_000, running: 1, waiting: 8 }
    const tokens = await start({ now: () => clock, limits })
    const guess = (from: string) =>
      tokens.newToken({ password: 'wrong', endpoints: ALL }, from).catch((e: Error) => e.message)
    expect([await guess('a'), await guess('a')]).toEqual(['incorrect password', 'incorrect password'])
    expect(await guess('a')).toBe('too many incorrect passwords, try again in 1s')
    // The right password waits, too: else the answer would tell.
    await expect(tokens.newToken({ password: PASSWORD, endpoints: ALL }, 'a')).rejects.toThrow('too many')
    await expect(tokens.newToken({ password: PASSWORD, endpoints: ALL }, 'b')).resolves.toContain('.')
    clock += 1_000
    expect(await guess('a')).toBe('incorrect password')
  })

  it('forgive a wrong password as soon when the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const tokens = await start({ limits: { burst: 2, refillMs: 1_000, running: 1, waiting: 8 } })
    const guess = tokens.newToken({ password: 'wrong', endpoints: ALL }, 'a')
    await expect(guess).rejects.toThrow('incorrect password')
    vi.setSystemTime(Date.now() - 3_600_000)
    await expect(tokens.newToken({ password: PASSWORD, endpoints: ALL }, 'a')).resolves.toContain('.')
  })

  it('are guessed by a change as by all else: only so many wait, and nobody else waits for them', async () => {
    const looked = gate()
    const generation = async (): Promise<bigint> => {
      looked.open()
      return store.auth.generation()
    }
    const limits = { burst: 60, refillMs: 1_000, running: 1, waiting: 8 }
    const tokens = await start({ limits, records: { ...store.auth, generation }, refreshMs: 10 })
    const told: string[] = []
    const guesses = Array.from({ length: 10 }, (_, n) =>
      tokens
        .changePassword({ oldPassword: `wrong ${n}`, newPassword: OTHER }, `10.0.0.${n}`)
        .catch((error: Error) => told.push(error.message)),
    )
    await looked.opened
    expect(told.length).toBeLessThan(guesses.length)
    await Promise.all(guesses)
    expect(told.filter((text) => text !== 'incorrect password')).toEqual([
      'too many passwords are being checked, try again',
    ])
  })

  it('open what ends with an endpoint, and with more than one reading of a path only what is open to all', async () => {
    const tokens = await start()
    const limited = await make(tokens, PASSWORD, ['/ext/info', 'P'])
    expect(verdict(tokens, limited, '/ext/info')).toBeUndefined()
    expect(verdict(tokens, limited, '/ext/bc/P')).toBeUndefined()
    expect(verdict(tokens, limited, '/ext/info/')).toContain('does not allow')
    expect(tokens.problem(limited, '/ext/info', false)).toContain('does not allow')
    expect(tokens.problem(await make(tokens), '/anything', false)).toBeUndefined()
  })

  it('keep no password and no key in the store', async () => {
    const tokens = await start()
    await make(tokens)
    const { credential } = await store.auth.state()
    expect(credential?.fingerprint).toMatch(/^v1\.[\w-]{22}\.[\w-]{80}$/)
    expect(credential?.salt).toMatch(/^[0-9a-f]{32}$/)
  })
})
