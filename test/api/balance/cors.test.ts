import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCors } from '../../../src/api/node/http/cors.ts'
import { type App, createApp } from '../../../src/app.ts'
import { createConfig, loadConfig } from '../../../src/config/index.ts'

const PATH = '/v1/balance/get-balances'
const ORIGIN = 'https://wallet.example.org'

let app: App
beforeAll(async () => {
  const loaded = loadConfig({ argv: ['--log-level', 'silent', '--index-enabled', 'false'], env: {}, cwd: tmpdir() })
  if (loaded.action !== 'run') throw new Error(loaded.text)
  // Never listens: nothing is asked of any upstream.
  app = await createApp(loaded.config)
})
afterAll(() => app.close())

describe('pages of other origins', () => {
  it('may send every header that wallets send, and names of their own', async () => {
    const asked = [
      'content-type',
      'accept',
      'authorization',
      'x-firebase-appcheck',
      'x-glacier-api-key',
      'x-app-component',
      'x-application-name',
      'x-application-version',
      'cache-control',
      'pragma',
      'expires',
      'last-event-id',
      'x-core-api-key',
      'x-requested-with',
      'sentry-trace',
      'baggage',
      'traceparent',
      'x-of-the-app',
    ]
    const answer = await app.http.inject({
      method: 'OPTIONS',
      url: PATH,
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked.join(','),
      },
    })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-methods']).toContain('POST')
    const allowed = String(answer.headers['access-control-allow-headers']).split(/, ?/)
    for (const header of asked) expect(allowed).toContain(header)
    expect(answer.headers.vary).toContain('Access-Control-Request-Headers')
  })

  it('may read answers and refusals alike', async () => {
    const headers = { origin: ORIGIN, 'content-type': 'application/json' }
    for (const [method, url] of [
      ['GET', '/v1/balance/get-supported-chains'],
      ['POST', PATH],
      ['PUT', PATH],
      ['GET', '/v1/balance/nothing'],
    ] as const) {
      const answer = await app.http.inject({ method, url, headers, ...(method === 'POST' ? { payload: '{}' } : {}) })
      expect(answer.headers['access-control-allow-origin'], `${method} ${url}`).toBe('*')
    }
  })

  it('OPTIONS without a question of a browser is no mistake', async () => {
    const answer = await app.http.inject({ method: 'OPTIONS', url: PATH })
    expect(answer.statusCode).toBe(204)
    expect(answer.body).toBe('')
  })
})

it.each([
  ['https://wallet.example.org', true],
  ['https://WALLET.example.org', true],
  ['capacitor://localhost', true],
  ['https://example.org', false],
  ['https://wallet.example.org.evil', false],
  ['https://walletxexample.org', false],
])('a star in an origin counts under /v1 as it does under /ext: %s', async (origin, allowed) => {
  const corsOrigins = ['https://*.example.org', 'capacitor://localhost']
  const some = await createApp(createConfig({ log: { level: 'silent' }, http: { corsOrigins } }))
  onTestFinished(() => some.close())
  const answer = await some.http.inject({ url: '/v1/balance/get-supported-chains', headers: { origin } })
  expect(answer.headers['access-control-allow-origin']).toBe(allowed ? origin : undefined)
  const pairs = createCors(corsOrigins, { withAuthorization: false }).allow(origin, 'GET')
  expect(pairs.includes(origin)).toBe(allowed)
})
