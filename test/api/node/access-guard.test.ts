import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { type RawReply, sendRaw } from '../../support/server/raw-http.ts'
import { openTestStore } from '../../support/store/store.ts'
import { type GuardedServer, PASSWORD, startGuardedServer } from './guarded-server.ts'

type Header = [name: string, value: string]

const UPGRADE: Header[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
]
const PREFLIGHT: Header[] = [
  ['Origin', 'https://wallet.example'],
  ['Access-Control-Request-Method', 'POST'],
  ['Access-Control-Request-Headers', 'authorization'],
]
const BALANCE_NO_TOKEN = '{"message":"UNAUTHORIZED"}'
const DATA_NO_TOKEN = '{"message":"auth token not provided","error":"Unauthorized","statusCode":401}'
const NO_TOKEN = '{"jsonrpc":"2.0","error":{"code":-32600,"message":"auth token not provided"},"id":1}\n'

describe('the guard', () => {
  let store: Store
  let server: GuardedServer
  let everything: string
  let info: string

  beforeAll(async () => {
    store = openTestStore()
    server = await startGuardedServer(store, { confirms: true })
    const make = async (endpoint: string) =>
      ((await server.call('newToken', { password: PASSWORD, endpoints: [endpoint] })) as { token: string }).token
    everything = await make('*')
    info = await make('/ext/info')
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const send = (target: string, headers: Header[] = [], method = 'POST'): Promise<RawReply> => {
    const whole: Header[] = [
      ['Host', '127.0.0.1'],
      ['Content-Type', 'application/json'],
      ['Content-Length', '0'],
      ...headers,
    ]
    return sendRaw(server.port, { method, target, headers: whole, body: Buffer.alloc(0) })
  }
  const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`]

  it.each([
    '/metrics',
    '/',
    '/documentation',
    '/ext/info',
    '/ext/bc/C/rpc',
    '/ext/health',
    '/ext/nope',
    '/ext/auth/',
    '/ext/auth/x',
    '//ext/auth',
    '/ext//auth',
    '/ext/./auth',
    '/ext/info/../auth',
    '/ext/auth/..',
    '/ext/AUTH',
    '/EXT/auth',
    '/ext/auth%2f',
    '/ext/auth%00',
    '/ext/auth%20',
    '/ext/auth;x',
    '/ext/auth#/ext/info',
    '/ext%2Finfo%2Fauth',
    '/x/ext/auth',
    '/v1',
    '/ext/v1/nothing',
    'http://127.0.0.1/ext/info',
  ])('asks for a token at %s', async (target) => {
    const before = server.entered.length
    const reply = await send(target)
    expect(`${reply.status} ${reply.body}`).toBe(`401 ${NO_TOKEN}`)
    expect((await send(target, [], 'GET')).status).toBe(401)
    expect((await send(target, UPGRADE, 'GET')).status).toBe(401)
    expect(server.entered).toHaveLength(before)
    expect((await send(target, [bearer(everything)])).status).not.toBe(401)
  })

  it.each([
    ['/v1/balance/get-balances', BALANCE_NO_TOKEN],
    ['/v1/stake/get-rewards?x=1', BALANCE_NO_TOKEN],
    ['//v1/balance/get-balances', BALANCE_NO_TOKEN],
    ['/v1/health-check', DATA_NO_TOKEN],
    ['/prefix/v1/transactions?pageSize=1', DATA_NO_TOKEN],
    ['/v1/nothing', DATA_NO_TOKEN],
    ['/v1/..%2Fext/auth', DATA_NO_TOKEN],
    ['http://127.0.0.1/v1/x', DATA_NO_TOKEN],
  ])('asks for a token at %s in the words of the API below it, which web pages can read', async (target, body) => {
    const before = server.entered.length
    const reply = await send(target)
    expect(`${reply.status} ${reply.body}`).toBe(`401 ${body}`)
    const headers = new Map(reply.headers.map(([name, value]) => [name.toLowerCase(), value]))
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect((await send(target, UPGRADE, 'GET')).status).toBe(401)
    expect(server.entered).toHaveLength(before)
    expect((await send(target, [bearer(everything)])).status).not.toBe(401)
  })

  it('tells an API client what is wrong with its token', async () => {
    const { status, body } = await send('/v1/blocks', [bearer(info)])
    expect([status, JSON.parse(String(body))]).toEqual([
      401,
      { message: expect.stringContaining('does not allow access'), error: 'Unauthorized', statusCode: 401 },
    ])
  })

  it.each(['/ext/auth', '/%65xt/%61uth', '/ext%2Fauth', '/ext/auth?x=/v1/y', 'http://any.where/ext/auth'])(
    'lets %s pass, to the auth API only',
    async (target) => {
      const reply = await send(target)
      expect(reply.status).not.toBe(401)
      // An empty body, as the auth API of a node sees it; other hosts are nobody's.
      expect(reply.body.toString()).toMatch(/"message":"EOF"|invalid host specified/)
    },
  )

  it('does not let a header lead from the open path to another endpoint', async () => {
    const reply = await send('/ext/auth', [['Avalanche-Api-Route', '11111111111111111111111111111111LpoYY']])
    expect(reply.status).toBe(404)
  })

  it('answers preflights without a token, and no upgrade that looks like one', async () => {
    const reply = await send('/ext/bc/C/rpc', PREFLIGHT, 'OPTIONS')
    expect(reply.status).toBe(200)
    expect(new Map(reply.headers).get('Access-Control-Allow-Headers')).toBe('Authorization')
    expect((await send('/ext/bc/C/ws', [...PREFLIGHT, ...UPGRADE], 'OPTIONS')).status).toBe(401)
    expect((await send('/ext/info', [], 'OPTIONS')).status).toBe(401)
  })

  it('lets nobody in at the target * without a token; the only answer that needs none is for OPTIONS, as Go has it', async () => {
    expect(await send('*', [], 'OPTIONS')).toMatchObject({ status: 200, body: Buffer.alloc(0) })
    for (const method of ['GET', 'POST']) {
      const { status, body } = await send('*', [], method)
      expect([status, body.toString()]).toEqual([401, NO_TOKEN])
    }
  })

  it('takes only the first of several headers', async () => {
    expect((await send('/ext/info', [bearer('x'), bearer(everything)])).status).toBe(401)
    expect((await send('/ext/info', [bearer(everything), bearer('x')])).status).not.toBe(401)
  })

  it('grants an endpoint only where everybody reads the same path', async () => {
    const status = async (target: string) => (await send(target, [bearer(info)])).status
    expect(await status('/ext/info')).not.toBe(401)
    expect(await status('/ext%2Finfo')).not.toBe(401)
    // Fastify cuts at the hash and leaves escaped slashes in parameters.
    expect(await status('/v1/secret#/ext/info')).toBe(401)
    expect(await status('/v1/secret%2Fext%2Finfo')).toBe(401)
    expect(await status('/ext/info?x=/ext/admin')).not.toBe(401)
    expect(await status('/ext/admin?x=/ext/info')).toBe(401)
  })

  it('upgrades with a token that grants the path', async () => {
    expect((await send('/ext/bc/C/ws', [...UPGRADE, bearer(everything)], 'GET')).status).toBe(101)
    const refused = await send('/ext/bc/C/ws', [...UPGRADE, bearer(info)], 'GET')
    expect(refused.body.toString()).toContain('does not allow access to this endpoint')
  })

  it('answers the older variant with success', async () => {
    expect(await server.call('revokeToken', { password: PASSWORD, token: 'x' })).toEqual({ success: true })
    const [oldPassword, newPassword] = [PASSWORD, 'Another-Good.Pw#93']
    expect(await server.call('changePassword', { oldPassword, newPassword })).toEqual({ success: true })
    expect(await server.call('changePassword', { oldPassword: newPassword, newPassword: oldPassword })).toEqual({
      success: true,
    })
  })

  it('refuses garbage of every kind without falling over', () => {
    const parts = [
      '',
      '.',
      '..',
      'e30',
      'e30.e30',
      '{}',
      '"',
      'bnVsbA',
      'W10',
      'eyJhbGciOiJIUzI1NiJ9',
      '\u00ff',
      '%',
      'bearer ',
    ]
    for (const a of parts)
      for (const b of parts)
        for (const c of parts)
          expect(server.tokens.problem(`${a}.${b}.${c}`, '/ext/info', true)).toEqual(expect.any(String))
    const deep = Buffer.from('['.repeat(100_000)).toString('base64url')
    expect(server.tokens.problem(`${deep}.${deep}.x`, '/', true)).toBe("invalid character '[' exceeded max depth")
  })
})
