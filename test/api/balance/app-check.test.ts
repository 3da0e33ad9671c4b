import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AppCheckOptions, createAppCheck } from '../../../src/api/balance/app-check.ts'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const NUMBER = '123456789012'
const APP = '1:123456789012:web:321abc456def7890'
const SECRET = 'a secret of thirty-two characters'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
let own: Key
let foreign: Key
let folder: string
let keysFile: string
let server: Server
let keysUrl: string
let keySet: string
let asked = 0
/** Credentials of the latest question. */
let authorization: string | undefined
let failing = false
let silent = false
/** What the server of keys answers, where it is not `keySet`. */
let served: string | undefined

beforeAll(async () => {
  const [mine, theirs] = await Promise.all([1, 2].map(() => generateKeyPair('RS256', { extractable: true })))
  if (!mine || !theirs) throw new Error('no keys')
  own = mine.privateKey
  foreign = theirs.privateKey
  keySet = JSON.stringify({ keys: [{ ...(await exportJWK(mine.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }] })
  folder = mkdtempSync(join(tmpdir(), 'firn-keys-'))
  keysFile = join(folder, 'jwks.json')
  writeFileSync(keysFile, keySet)
  server = createServer((request, response) => {
    asked += 1
    authorization = request.headers.authorization
    if (silent) return
    response.writeHead(failing ? 500 : 200, { 'content-type': 'application/json' }).end(served ?? keySet)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  keysUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  server.close()
})

const check = (options: Partial<AppCheckOptions>) => createAppCheck({ mode: 'off', tokens: [], appIds: [], ...options })
const GOOD: JWTPayload = {
  iss: `https://firebaseappcheck.googleapis.com/${NUMBER}`,
  aud: [`projects/${NUMBER}`, 'projects/my-app'],
  sub: APP,
}
const sign = (claims: JWTPayload, options: { key?: Key; kid?: string; expires?: string | false } = {}) => {
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: options.kid ?? 'own' }).setIssuedAt()
  return (options.expires === false ? token : token.setExpirationTime(options.expires ?? '1h')).sign(options.key ?? own)
}

/** The public part of a key, as a set of keys has it. */
const keyOf = async (key: Key) => {
  const { kty, n, e } = await exportJWK(key)
  return { kty, n, e, kid: 'foreign', alg: 'RS256', use: 'sig' }
}

/** @param ms so much later than any test before was; tokens have to live as long */
async function later(ms: number, run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: steadyNow() + ms })
  await run().finally(() => vi.useRealTimers())
}

describe('mode off and static', () => {
  it('off takes everything, a missing header too', async () => {
    for (const header of [undefined, '', 'anything']) expect(await check({})(header)).toBe(true)
  })

  it('static takes any of the listed tokens and nothing else', async () => {
    const judge = check({ mode: 'static', tokens: ['first', 'second'] })
    for (const header of ['first', 'second']) expect(await judge(header)).toBe(true)
    for (const header of [undefined, '', 'First', 'firs', 'first ', 'Bearer first']) {
      expect(await judge(header), String(header)).toBe(false)
    }
  })
})

describe('mode jwt', () => {
  it('verifies with a shared secret: signature, expiry, issuer and audience', async () => {
    const judge = check({ mode: 'jwt', secret: SECRET, issuer: 'me', audience: 'firn' })
    const made = (claims: JWTPayload, secret = SECRET, expires: string | undefined = '1h') => {
      const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' })
      return (expires ? token.setExpirationTime(expires) : token).sign(new TextEncoder().encode(secret))
    }
    const good = { iss: 'me', aud: 'firn' }
    expect(await judge(await made(good))).toBe(true)
    expect(await judge(await made(good, 'another secret of enough characters'))).toBe(false)
    expect(await judge(await made({ ...good, iss: 'you' }))).toBe(false)
    expect(await judge(await made({ ...good, aud: 'other' }))).toBe(false)
    expect(await judge(await made(good, SECRET, '-1m'))).toBe(false)
    expect(await judge(await made(good, SECRET, ''))).toBe(false)
    for (const header of [undefined, '', 'no.jwt.atall', 'x']) expect(await judge(header)).toBe(false)
  })

  it('verifies with keys of a file, and never with the public key taken for a secret', async () => {
    const judge = check({ mode: 'jwt', jwks: keysFile })
    expect(await judge(await sign({}))).toBe(true)
    expect(await judge(await sign({}, { key: foreign }))).toBe(false)
    const confused = new SignJWT({}).setProtectedHeader({ alg: 'HS256', kid: 'own' }).setExpirationTime('1h')
    expect(await judge(await confused.sign(new TextEncoder().encode(keySet)))).toBe(false)
  })
})

describe('mode firebase', () => {
  it('takes a token of the project and refuses every other', async () => {
    const judge = check({ mode: 'firebase', jwks: keysFile, projectNumber: NUMBER, appIds: [APP] })
    expect(await judge(await sign(GOOD))).toBe(true)
    const wrong: [string, Promise<string>][] = [
      ['another project', sign({ ...GOOD, aud: ['projects/999'] })],
      ['issuer of another project', sign({ ...GOOD, iss: 'https://firebaseappcheck.googleapis.com/999' })],
      ['issuer of a project whose number goes on', sign({ ...GOOD, iss: `${GOOD.iss}0` })],
      ['foreign issuer', sign({ ...GOOD, iss: `https://example.org/${NUMBER}` })],
      ['app that is not listed', sign({ ...GOOD, sub: '1:123456789012:web:other' })],
      ['empty subject', sign({ ...GOOD, sub: '' })],
      ['expired', sign(GOOD, { expires: '-1m' })],
      ['without expiry', sign(GOOD, { expires: false })],
      ['signed by another key', sign(GOOD, { key: foreign })],
    ]
    for (const [what, token] of wrong) expect(await judge(await token), what).toBe(false)
    expect(await judge('')).toBe(false)
    expect(await judge(undefined)).toBe(false)
  })

  it('takes no other algorithm than RS256, though a key of the set is for one', async () => {
    const curve = await generateKeyPair('ES256', { extractable: true })
    const file = join(folder, 'curve.json')
    writeFileSync(file, JSON.stringify({ keys: [{ ...(await exportJWK(curve.publicKey)), kid: 'curve', use: 'sig' }] }))
    const header = { alg: 'ES256', kid: 'curve' }
    const token = await new SignJWT(GOOD).setProtectedHeader(header).setExpirationTime('1h').sign(curve.privateKey)
    expect(await check({ mode: 'jwt', jwks: file })(token)).toBe(true)
    expect(await check({ mode: 'firebase', jwks: file, projectNumber: NUMBER })(token)).toBe(false)
  })

  it('takes every app of the project when none is listed, also by the name of the project', async () => {
    const judge = check({ mode: 'firebase', jwks: keysFile, projectId: 'my-app' })
    expect(await judge(await sign({ ...GOOD, sub: '1:123456789012:ios:any' }))).toBe(true)
    expect(await judge(await sign({ ...GOOD, iss: 'https://example.org/1' }))).toBe(false)
  })

  it('loads the keys once, and unknown key ids do not make it ask again and again', async () => {
    const judge = check({ mode: 'firebase', jwks: keysUrl, projectNumber: NUMBER })
    expect(await judge(await sign(GOOD))).toBe(true)
    expect(await judge(await sign(GOOD))).toBe(true)
    expect(asked).toBe(1)
    for (const kid of ['a', 'b', 'c', 'd']) expect(await judge(await sign(GOOD, { kid }))).toBe(false)
    expect(asked).toBe(1)
  })

  it('reads a file of keys again when they have rotated, not for every unknown key id, and when it was missing', async () => {
    const file = join(folder, 'rotating.json')
    const rotated = JSON.stringify({ keys: [{ ...JSON.parse(keySet).keys[0], kid: 'next' }] })
    const judge = check({ mode: 'firebase', jwks: file, projectNumber: NUMBER })
    await expect(judge(await sign(GOOD))).rejects.toThrow(/no such file/)
    writeFileSync(file, keySet)
    expect(await judge(await sign(GOOD))).toBe(true)
    writeFileSync(file, rotated)
    expect(await judge(await sign(GOOD, { kid: 'next' }))).toBe(false)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    try {
      expect(await judge(await sign(GOOD, { kid: 'next' }))).toBe(true)
      expect(await judge(await sign(GOOD, { kid: 'own' }))).toBe(false)
      writeFileSync(file, '{ half written')
      vi.setSystemTime(Date.now() + 31_000)
      expect(await judge(await sign(GOOD, { kid: 'own' }))).toBe(false)
      expect(await judge(await sign(GOOD, { kid: 'next' }))).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  it('reads a file of keys again also where a key is new under the same name or none, or was taken out', async () => {
    const file = join(folder, 'replaced.json')
    const [key] = JSON.parse(keySet).keys
    const { kid: _, ...nameless } = await keyOf(foreign)
    writeFileSync(file, keySet)
    const judge = check({ mode: 'jwt', jwks: file })
    const byForeign = await sign(GOOD, { key: foreign })
    expect([await judge(await sign(GOOD)), await judge(byForeign)]).toEqual([true, false])
    writeFileSync(file, JSON.stringify({ keys: [{ ...nameless, kid: 'own' }] }))
    await later(31_000, async () => {
      expect([await judge(await sign(GOOD)), await judge(byForeign)]).toEqual([false, true])
      writeFileSync(file, JSON.stringify({ keys: [key] }))
      vi.setSystemTime(Date.now() + 31_000)
      expect([await judge(await sign(GOOD)), await judge(byForeign)]).toEqual([true, false])
    })
  })

  it('takes a token that names no key where one of several fits', async () => {
    const file = join(folder, 'several.json')
    const third = await generateKeyPair('RS256', { extractable: true })
    writeFileSync(file, JSON.stringify({ keys: [await keyOf(foreign), JSON.parse(keySet).keys[0]] }))
    const judge = check({ mode: 'jwt', jwks: file })
    const unnamed = (key: Key) =>
      new SignJWT(GOOD).setProtectedHeader({ alg: 'RS256' }).setExpirationTime('1h').sign(key)
    expect(await judge(await unnamed(own))).toBe(true)
    expect(await judge(await unnamed(foreign))).toBe(true)
    expect(await judge(await unnamed(third.privateKey))).toBe(false)
  })

  it('takes keys that nothing can be verified by for none: tokens that name one, or none, are told right from wrong', async () => {
    const file = join(folder, 'unusable.json')
    const short = generateKeyPairSync('rsa', { modulusLength: 1_024 })
    const unusable = [
      { ...short.publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' },
      { kty: 'RSA', n: 'AAAA', kid: 'damaged', alg: 'RS256' },
      { kty: 'oct', k: 'AAAA', kid: 'secret', alg: 'HS256' },
      { kty: 'new', kid: 'of a kind to come' },
    ]
    writeFileSync(file, JSON.stringify({ keys: [...unusable, JSON.parse(keySet).keys[0]] }))
    const judge = check({ mode: 'jwt', jwks: file })
    const unnamed = (key: Key) =>
      new SignJWT(GOOD).setProtectedHeader({ alg: 'RS256' }).setExpirationTime('1h').sign(key)
    for (const { kid } of unusable) expect(await judge(await sign(GOOD, { kid }))).toBe(false)
    expect(await judge(await unnamed(own))).toBe(true)
    expect(await judge(await unnamed(foreign))).toBe(false)
  })

  it('goes by keys that it has, without a wait, while their server is away or silent, for a day', async () => {
    const judge = check({ mode: 'firebase', jwks: keysUrl, projectNumber: NUMBER })
    const lasting = await sign(GOOD, { expires: '7d' })
    expect(await judge(lasting)).toBe(true)
    try {
      failing = true
      asked = 0
      await later(31_000, async () => {
        for (let i = 0; i < 5; i += 1) expect(await judge(await sign(GOOD, { kid: 'forged' }))).toBe(false)
        expect(asked).toBe(1)
        silent = true
        vi.setSystemTime(Date.now() + 7 * 3_600_000)
        expect(await judge(lasting)).toBe(true)
        await eventually(() => expect(asked).toBe(2))
        server.closeAllConnections()
        silent = false
        vi.setSystemTime(Date.now() + 17 * 3_600_000)
        await expect(judge(lasting)).rejects.toThrow(/the keys of tokens cannot be had: (status 500|connection cut)/)
        // One read a second, however many tokens come.
        const tried = asked
        for (let i = 0; i < 3; i += 1) await expect(judge(lasting)).rejects.toThrow('the keys of tokens cannot be had')
        expect(asked).toBe(tried)
        failing = false
        vi.setSystemTime(Date.now() + 10_000)
        expect(await judge(lasting)).toBe(true)
      })
    } finally {
      failing = false
      silent = false
    }
  })

  it('takes no more of a set of keys than a set of keys can have', async () => {
    served = JSON.stringify({ keys: [], more: 'x'.repeat(2 * 1_048_576) })
    const judge = check({ mode: 'firebase', jwks: keysUrl, projectNumber: NUMBER })
    await expect(judge(await sign(GOOD))).rejects.toThrow('over 1048576 bytes')
    served = undefined
  })

  it('asks with the user and the password of the URL', async () => {
    const jwks = keysUrl.replace('://', '://some%40one:pass%20word@')
    expect(await check({ mode: 'firebase', jwks, projectNumber: NUMBER })(await sign(GOOD))).toBe(true)
    expect(authorization).toBe(`Basic ${Buffer.from('some@one:pass word').toString('base64')}`)
  })

  it('is the trouble of the server, not of the caller, when keys cannot be had', async () => {
    failing = true
    const judge = check({ mode: 'firebase', jwks: keysUrl, projectNumber: NUMBER })
    await expect(judge(await sign(GOOD))).rejects.toThrow()
    failing = false
  })

  it.each(['{}', '{"keys":[null]}', '[]'])(
    'is the trouble of the server, too, when %s stands where keys belong',
    async (text) => {
      const file = join(folder, 'broken.json')
      writeFileSync(file, text)
      await expect(check({ mode: 'jwt', jwks: file })(await sign(GOOD))).rejects.toThrow(/malformed/)
    },
  )
})

it('a mode without what it needs stops the start', () => {
  expect(() => check({ mode: 'static' })).toThrow(/tokens/)
  expect(() => check({ mode: 'jwt' })).toThrow(/secret or jwks/)
  expect(() => check({ mode: 'firebase' })).toThrow(/projectNumber or projectId/)
})
