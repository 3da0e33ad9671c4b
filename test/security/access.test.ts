import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../support/server/raw-http.ts'
import { createStage } from '../support/server/stage.ts'

const PASSWORD = 'Auth-Pw-1 correct horse battery'

const stage = createStage()
afterAll(() => stage.clear())

type Header = readonly [name: string, value: string]

/** A whole server that wants tokens, over a node that would answer everything. */
let port = 0
let url = ''
let asked = 0
let token = ''

beforeAll(async () => {
  const node = await stage.upstream({
    handle: (_request, body) => {
      // Firn's own probes carry no canary.
      if (body.includes('came through')) asked += 1
      return undefined
    },
  })
  const served = await stage.serve({
    node: { network: 'mainnet', api: { auth: { required: true, password: PASSWORD }, admin: { enabled: true } } },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
  })
  url = served.url
  port = Number(new URL(url).port)
  const answer = await fetch(`${url}/ext/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'auth.newToken',
      params: { password: PASSWORD, endpoints: ['/ext/health'] },
    }),
  })
  token = ((await answer.json()) as { result: { token: string } }).result.token
})

const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"info.getNetworkName","params":{"canary":"came through"}}')

interface Raw {
  method?: string
  target?: string
  headers?: readonly Header[]
  version?: string
}

const send = ({ method = 'POST', target = '/ext/info', headers = [], version = 'HTTP/1.1' }: Raw) =>
  sendRaw(
    port,
    {
      method,
      target,
      version,
      headers: [
        ...(headers.some(([name]) => name === 'Host') ? [] : [['Host', '127.0.0.1'] as const]),
        ['Content-Type', 'application/json'],
        ['Content-Length', String(BODY.length)],
        ...headers,
      ],
      body: BODY,
    },
    20_000,
  )

const UPGRADE: readonly Header[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
]

const PATHS = [
  '/',
  '/metrics',
  '/page/index.json',
  '/openapi/balance.json',
  '/v1/live-check',
  '/v1/health-check',
  '/v1/balance/get-supported-chains',
  '//v1/balance/get-supported-chains',
  '/v1//balance/get-supported-chains',
  '/v1/./balance/get-supported-chains',
  '/ext/auth/../../v1/balance/get-supported-chains',
  '/ext/auth/../info',
  '/ext/auth/..%2finfo',
  '/ext/auth/%2e%2e/info',
  '/ext/auth%2f..%2finfo',
  '/ext/auth%2e',
  '/ext/auth.',
  '/ext/auth..',
  '/ext/auth\\',
  '/ext/auth\\..\\info',
  '\\ext\\info',
  '/ext\\info',
  '/ext/auth;/../info',
  '/ext/auth;jsessionid=1',
  '/ext;x/info',
  '/ext/info;.css',
  '/ext/info/favicon.ico',
  '/ext/info%00/ext/auth',
  '/ext/info%0a/ext/auth',
  '/ext/info%0d%0aX:/ext/auth',
  '/ext/info%23/ext/auth',
  '/ext/info%3f/ext/auth',
  '/ext/info?/ext/auth',
  '/ext/info?path=/ext/auth',
  '/ext/%2561uth',
  '/ext/%c0%afauth',
  '/ext/auth%c0%80',
  '/ext/aut%e2%80%8bh',
  '/ext/аuth',
  '/Ext/Auth',
  '/ext/AUTH',
  '/ext/auth/',
  '//ext/auth',
  '///ext///auth',
  '/./ext/auth',
  '/%2e/ext/auth',
  '/x/../ext/auth',
  '/%2fext/auth',
  'http://127.0.0.1/ext/info',
  'HTTP://127.0.0.1/ext/info',
  'http://x@127.0.0.1/ext/info',
  'http://127.0.0.1//ext/auth',
  'https://ext/auth/../info',
  'ext://auth/ext/info',
  '/ext/bc/C/rpc',
  '/ext/bc/X/auth',
  '/ext/admin',
  '/ext/keystore',
  '/ext/health',
]

describe('without a token', () => {
  it.each(PATHS)('nothing answers at %s, by no method', async (target) => {
    const before = asked
    const methods = ['POST', 'GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']
    const replies = await Promise.all(methods.map((method) => send({ method, target })))
    for (const [index, { status }] of replies.entries()) expect([400, 401], methods[index]).toContain(status)
    const upgraded = await send({ method: 'GET', target, headers: UPGRADE })
    expect([400, 401]).toContain(upgraded.status)
    expect(asked).toBe(before)
  })

  it.each<readonly [string, readonly Header[]]>([
    ['X-Original-URL', [['X-Original-URL', '/ext/auth']]],
    ['X-Rewrite-URL', [['X-Rewrite-URL', '/ext/auth']]],
    ['X-Override-URL', [['X-Override-URL', '/ext/auth']]],
    ['X-Forwarded-Uri', [['X-Forwarded-Uri', '/ext/auth']]],
    ['X-Forwarded-Path', [['X-Forwarded-Path', '/ext/auth']]],
    ['X-Forwarded-Prefix', [['X-Forwarded-Prefix', '/ext/auth']]],
    ['X-Forwarded-For', [['X-Forwarded-For', '127.0.0.1']]],
    ['X-Forwarded-Host', [['X-Forwarded-Host', 'localhost']]],
    ['X-Forwarded-User', [['X-Forwarded-User', 'admin']]],
    ['X-Real-IP', [['X-Real-IP', '127.0.0.1']]],
    ['Forwarded', [['Forwarded', 'for=127.0.0.1;host=localhost']]],
    ['X-HTTP-Method-Override', [['X-HTTP-Method-Override', 'OPTIONS']]],
    ['X-HTTP-Method', [['X-HTTP-Method', 'OPTIONS']]],
    ['X-Method-Override', [['X-Method-Override', 'OPTIONS']]],
    ['Avalanche-Api-Route', [['Avalanche-Api-Route', 'auth']]],
    ['a query in Host', [['Host', '127.0.0.1/ext/auth']]],
    ['a path in Host', [['Host', '127.0.0.1:1/ext/auth?']]],
    [
      'two hosts',
      [
        ['Host', '127.0.0.1'],
        ['Host', '127.0.0.1/ext/auth'],
      ],
    ],
    ['an empty Host', [['Host', '']]],
    ['an origin of its own', [['Origin', 'http://127.0.0.1']]],
    [
      'half a preflight',
      [
        ['Origin', 'http://x.example'],
        ['Access-Control-Request-Method', 'POST'],
      ],
    ],
    ['empty credentials', [['Authorization', '']]],
    ['only the scheme', [['Authorization', 'Bearer ']]],
    ['another case of the scheme', [['Authorization', 'bearer x']]],
    ['two spaces', [['Authorization', 'Bearer  x']]],
    ['Basic', [['Authorization', 'Basic YWRtaW46YWRtaW4=']]],
    ['a token without signature', [['Authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJlbmRwb2ludHMiOlsiKiJdfQ.']]],
    ['the proxy header', [['Proxy-Authorization', 'Bearer x']]],
    ['a cookie', [['Cookie', 'Authorization=Bearer x; token=x']]],
    [
      'h2c',
      [
        ['Connection', 'Upgrade, HTTP2-Settings'],
        ['Upgrade', 'h2c'],
        ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
      ],
    ],
    [
      'an unknown upgrade',
      [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'TLS/1.0'],
      ],
    ],
    ['an expectation', [['Expect', '200-maybe']]],
  ])('%s opens nothing', async (_name, headers) => {
    const before = asked
    for (const target of ['/ext/info', '/v1/balance/get-supported-chains']) {
      const { status } = await send({ target, headers })
      expect([400, 401, 417]).toContain(status)
    }
    expect(asked).toBe(before)
  })

  it('HTTP/1.0 opens nothing, nor does any other version', async () => {
    for (const version of ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', ''])
      expect([400, 401, 505], version).toContain((await send({ version })).status)
  })

  it('a preflight is answered with headers only, whatever it carries', async () => {
    const before = asked
    for (const target of ['/ext/info', '/ext/bc/C/rpc', '/v1/balance/get-balances', '/metrics']) {
      const headers: Header[] = [
        ['Origin', 'https://wallet.example'],
        ['Access-Control-Request-Method', 'POST'],
      ]
      const reply = await send({ method: 'OPTIONS', target, headers })
      expect([200, 204]).toContain(reply.status)
      expect(reply.body).toHaveLength(0)
    }
    expect(asked).toBe(before)
  })

  it('CONNECT gets no tunnel', async () => {
    await expect(send({ method: 'CONNECT', target: '127.0.0.1:22' })).rejects.toThrow(/connection ended|ECONN/)
  })
})

/** Everything that comes back for these bytes on one connection. */
const converse = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setTimeout(20_000, () => socket.destroy(new Error('no end')))
    socket.on('data', (part) => {
      text += part.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(bytes, 'latin1')
  })

describe('requests behind one another on a connection', () => {
  const open = `POST /ext/auth HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
  const closed = 'GET /v1/balance/get-supported-chains HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'

  it('are judged one by one: the open path opens nothing for the next', async () => {
    const statuses = [...(await converse(open + open + closed)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
      ([, status]) => status,
    )
    expect(statuses).toHaveLength(3)
    expect(statuses.at(-1)).toBe('401')
  })

  it('a token counts for its own request only', async () => {
    const good = `GET /ext/health HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const text = await converse(good + closed)
    expect(text).not.toMatch(/^HTTP\/1\.1 401/)
    expect(text).toMatch(/HTTP\/1\.1 401 /)
  })

  it('the body of one is never the next', async () => {
    const inner = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'
    const outer = `POST /ext/auth HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${inner.length}\r\n\r\n`
    expect([...(await converse(outer + inner)).matchAll(/HTTP\/1\.1 \d+/g)]).toHaveLength(1)
  })
})
