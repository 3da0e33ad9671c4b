import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAppCheck } from '../../../src/api/balance/app-check.ts'
import { steadyNow } from '../../../src/lib/steady-clock.ts'

const NUMBER = '123456789012'

it('lets all in whose key is new by one read of the keys, not only who came first', async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const key = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig' }
  let [kid, asked] = ['own', 0]
  const server = createServer((_, response) => {
    asked += 1
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [{ ...key, kid }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  const judge = createAppCheck({ mode: 'firebase', tokens: [], appIds: [], jwks, projectNumber: NUMBER })
  const sign = () =>
    new SignJWT({ iss: `https://firebaseappcheck.googleapis.com/${NUMBER}`, aud: [`projects/${NUMBER}`], sub: 'app' })
      .setProtectedHeader({ alg: 'RS256', kid })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  expect(await judge(await sign())).toBe(true)
  kid = 'next'
  vi.useFakeTimers({ toFake: ['Date'], now: steadyNow() + 31_000 })
  onTestFinished(() => void vi.useRealTimers())
  const tokens = await Promise.all([sign(), sign(), sign()])
  expect(await Promise.all(tokens.map(judge))).toEqual([true, true, true])
  expect(asked).toBe(2)
})
