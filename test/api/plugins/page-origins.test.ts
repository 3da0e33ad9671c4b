import { afterEach, expect, it, onTestFinished } from 'vitest'
import { sendRaw } from '../../support/server/raw-http.ts'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

const http = { corsOrigins: ['https://*.example.org'] }
const ALLOWED = 'https://wallet.example.org'

/** Status of an answer, the origin that may read it, whether it may with credentials, and what that depends on. */
async function readers(url: string, target: string, origin?: string): Promise<unknown[]> {
  const reply = await sendRaw(Number(new URL(url).port), {
    method: 'GET',
    target,
    headers: [['Host', 'here'], ...(origin === undefined ? [] : [['Origin', origin] as const])],
    body: Buffer.alloc(0),
  })
  const headers = new Map(reply.headers.map(([name, value]) => [name.toLowerCase(), value]))
  return [
    reply.status,
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
    headers.get('vary'),
  ]
}

/** Only the page that the settings allow. */
async function expectAllowedOnly(url: string, target: string, status: number, credentials?: 'true') {
  expect(await readers(url, target, ALLOWED)).toEqual([status, ALLOWED, credentials, 'Origin'])
  for (const origin of ['https://other.org', undefined])
    expect(await readers(url, target, origin)).toEqual([status, undefined, credentials, 'Origin'])
}

it('a refusal before any API can be read by pages of the allowed origins only, as any answer', async () => {
  const { url } = await stage.serve({ http })
  await expectAllowedOnly(url, '/v1/balance/get-supported-chains', 200)
  await expectAllowedOnly(url, '/v1/%', 400)
  await expectAllowedOnly(url, '/v1/%ff', 400)
})

it('that a token is needed as well', async () => {
  const auth = { required: true, password: 'a-rather-Long_passphrase 4711' }
  const { url } = await stage.serve({ http, node: { api: { auth } } })
  await expectAllowedOnly(url, '/v1/blocks', 401)
  // The guard of a node runs before its CORS.
  expect(await readers(url, '/ext/info', ALLOWED)).toEqual([401, undefined, undefined, undefined])
})

it('that a server is full as well', async () => {
  const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { ...http, maxInFlight: 1 } })
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const addresses = ['0x000000000000000000000000000000000000dEaD']
  await fetch(`${url}/v1/balance/get-balances`, {
    method: 'POST',
    body: JSON.stringify({ data: [{ namespace: 'eip155', references: ['1'], addresses }], currency: 'usd' }),
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal,
  })
  await expectAllowedOnly(url, '/v1/blocks', 503)
  await expectAllowedOnly(url, '/ext/info', 503, 'true')
})
