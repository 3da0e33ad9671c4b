import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BadInputError, JsonRpcError, UpstreamRefusedError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { enterTrace, parseTraceparent } from '../../../src/lib/http/trace-context.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

describe('exchange', () => {
  test('bytes in, bytes out: body, status and headers are untouched', async () => {
    const seen: { url: string | undefined; headers: IncomingMessage['headers']; body: string }[] = []
    const odd = Buffer.from([0, 255, 1, 254, 10, 13])
    const { pool, servers } = await startTestPool([
      {
        handle: ({ url, headers }, body) => {
          seen.push({ url, headers, body: body.toString('latin1') })
          return {
            status: 418,
            headers: { 'content-type': 'text/odd', 'x-mine': 'a, b', connection: 'keep-alive' },
            body: odd,
          }
        },
      },
    ])
    const body = Buffer.from('{"id": 18446744073709551616 , "x":"\u00e9"}', 'latin1')
    const headers = {
      'Content-Type': 'application/json',
      'X-Own': '1',
      Connection: 'close, X-Hop',
      'X-Hop': '2',
      'Transfer-Encoding': 'chunked',
      Host: 'evil.example',
      'Content-Length': '999',
      Expect: '100-continue',
      Upgrade: 'h2c',
      TE: 'trailers',
    }
    const answer = await pool.exchange({ method: 'POST', path: '/ext/bc/C/rpc?x=1', headers, body })
    expect(answer).toMatchObject({
      status: 418,
      host: servers[0]?.host,
      headers: { 'content-type': 'text/odd', 'x-mine': 'a, b' },
    })
    expect(answer.body.equals(odd)).toBe(true)
    expect(answer.headers).not.toHaveProperty('connection')
    expect(answer.headers).not.toHaveProperty('keep-alive')
    expect(seen[0]).toMatchObject({ url: '/ext/bc/C/rpc?x=1', body: body.toString('latin1') })
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-own': '1',
      host: servers[0]?.host,
      'accept-encoding': 'identity',
    })
    for (const name of ['x-hop', 'transfer-encoding', 'expect', 'upgrade', 'te'])
      expect(seen[0]?.headers).not.toHaveProperty(name)
    expect(seen[0]?.headers['content-length']).toBe(String(body.length))
  })

  test('a compressed answer that the caller asked for stays compressed', async () => {
    const zipped = gzipSync('hello')
    const { pool } = await startTestPool([
      { handle: () => ({ headers: { 'content-encoding': 'gzip' }, body: zipped }) },
    ])
    const answer = await pool.exchange({ method: 'GET', path: '/', headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(answer.body.equals(zipped)).toBe(true)
  })

  test('base path, key, query, configured headers and credentials of the upstream are added', async () => {
    const seen: [string | undefined, IncomingMessage['headers']][] = []
    const { pool } = await startTestPool(
      [
        {
          handle: ({ url, headers }) => {
            seen.push([url, headers])
            return { body: '{}' }
          },
        },
      ],
      {
        spec: (url) => ({
          url: `${url.replace('http://', 'http://user:p%40ss@')}/v2/KEY/?token=T`,
          headers: { 'X-Key': 'K' },
        }),
      },
    )
    await pool.exchange({ method: 'GET', path: '/a?b=1', headers: { 'x-key': 'from the caller' } })
    await pool.exchange({ method: 'GET', path: '' })
    await pool.getJson('c')
    expect(seen.map(([url]) => url)).toEqual(['/v2/KEY/a?b=1&token=T', '/v2/KEY/?token=T', '/v2/KEY/c?token=T'])
    for (const [, headers] of seen)
      expect(headers).toMatchObject({
        'x-key': 'K',
        authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
      })
  })

  test('5xx and 429 are retried by default; a judge decides otherwise', async () => {
    const { pool, servers } = await startTestPool([{ faults: { status: 503 } }, { handle: () => ({ body: 'ok' }) }])
    expect((await pool.exchange({ method: 'GET', path: '/' })).host).toBe(servers[1]?.host)
    const health = await startTestPool([{ faults: { status: 503 } }, { handle: () => ({ body: 'ok' }) }])
    const answer = await health.pool.exchange(
      { method: 'GET', path: '/ext/health' },
      { judge: () => ({ kind: 'answer' }) },
    )
    expect(answer.status).toBe(503)
    expect(health.servers[1]?.stats.requests).toBe(0)
  })

  test("when everybody is behind, the node's own bytes are the answer; other trouble is an error", async () => {
    const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"cannot query unfinalized data"}}'
    const judge = ({ body }: { body: Buffer }) =>
      body.includes('unfinalized')
        ? ({ kind: 'retry', reason: 'behind', behind: true } as const)
        : ({ kind: 'answer' } as const)
    const request = { method: 'POST', path: '/', body: '{}' } as const
    const all = await startTestPool([{ handle: () => ({ body: text }) }, { handle: () => ({ body: text }) }])
    expect((await all.pool.exchange(request, { judge })).body.toString()).toBe(text)
    expect(all.servers.map(({ stats }) => stats.requests)).toEqual([1, 1])
    const one = await startTestPool([{ handle: () => ({ body: text }) }, { handle: () => ({ body: 'ok' }) }])
    expect((await one.pool.exchange(request, { judge })).body.toString()).toBe('ok')
    const dead = await startTestPool([{ faults: { status: 500 } }, { faults: { dead: true } }])
    await expect(dead.pool.exchange(request)).rejects.toBeInstanceOf(UpstreamUnavailableError)
  })

  test('who was in trouble and then is behind as well is not waited for until the deadline', async () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":null}'
    const { pool, servers } = await startTestPool([
      { handle: () => ({ body: text }), faults: ({ number }) => (number === 1 ? { status: 503 } : {}) },
      { handle: () => ({ body: text }) },
    ])
    const judge = ({ status }: { status: number }) =>
      status === 200
        ? ({ kind: 'retry', reason: 'behind', behind: true } as const)
        : ({ kind: 'retry', reason: `status ${status}` } as const)
    // Later than the test's own.
    const deadline = Date.now() + 3_600_000
    const answer = await pool.exchange({ method: 'POST', path: '/', body: '{}' }, { judge, deadline })
    expect(answer.body.toString()).toBe(text)
    expect(servers.map(({ stats }) => stats.requests)).toEqual([2, 1])
  })

  test('a request that cannot be written is the fault of the caller, not of the upstream', async () => {
    const { pool, servers } = await startTestPool([{}, {}], { limits: { breakerFailures: 1 } })
    for (const request of [
      { method: 'GET', path: '/a b' },
      { method: 'GET', path: '/', headers: { 'x-bad': 'a\r\nx-injected: 1' } },
      { method: 'BAD METHOD', path: '/' },
    ] as const)
      await expect(pool.exchange(request)).rejects.toBeInstanceOf(BadInputError)
    expect(pool.status().map(({ breaker, errorRate }) => [breaker, errorRate])).toEqual([
      ['closed', 0],
      ['closed', 0],
    ])
    expect(servers[0]?.stats.requests).toBe(0)
  })

  test('an absolute URL as path does not leave the upstream', async () => {
    const { pool } = await startTestPool([{}])
    const answer = await pool.exchange({ method: 'GET', path: 'http://evil.example/x' })
    expect(answer.body.toString()).toBe('{"path":"/http://evil.example/x"}')
  })
})

describe('getJson', () => {
  test('404 is undefined, and a refused request is told', async () => {
    const none = { status: 404, body: 'x' }
    const bad = { status: 400, body: 'Invalid Bitcoin address' }
    const { pool } = await startTestPool([{ handle: ({ url }) => (url === '/none' ? none : bad) }])
    expect(await pool.getJson('/none')).toBeUndefined()
    const error = await pool.getJson('/bad').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UpstreamRefusedError)
    expect(error).toMatchObject({ upstreamStatus: 400, retryable: false })
  })

  test('trouble with our standing is no answer', async () => {
    const { pool } = await startTestPool([
      { handle: () => ({ status: 402, body: '' }) },
      { handle: ({ url }) => ({ body: `{"second":"${url}","n":18446744073709551615}` }) },
    ])
    expect(await pool.getJson('/plan')).toEqual({ second: '/plan', n: 18446744073709551615n })
  })
})

test('parameters that JSON cannot hold are the fault of the caller', async () => {
  const { pool } = await startTestPool([{}])
  await expect(pool.rpc('', 'm', [1n])).rejects.toBeInstanceOf(BadInputError)
})

test('results keep integers beyond 2^53, also inside batches', async () => {
  const { pool } = await startTestPool([{ answer: () => ({ a: 18446744073709551615n }) }])
  const all = await Promise.all([1, 2].map((index) => pool.rpc('', 'm', [index])))
  expect(all).toEqual([{ a: 18446744073709551615n }, { a: 18446744073709551615n }])
  expect(await pool.rpc('', 'm', [3])).toEqual({ a: 18446744073709551615n })
})

test('the trace of the request goes along, each call with a span of its own', async () => {
  const seen: string[] = []
  const { pool } = await startTestPool([{ handle: ({ headers }) => void seen.push(String(headers['traceparent'])) }])
  const trace = '00-0af7651916cd43dd8448eb211c80319c'
  const calls = async () => {
    enterTrace(parseTraceparent(`${trace}-b7ad6b7169203331-01`))
    await pool.rpc('', 'm', [])
    await pool.getJson('/x')
    await pool.exchange({ method: 'GET', path: '/x' })
  }
  await calls()
  expect(seen.map((header) => header.slice(0, trace.length))).toEqual([trace, trace, trace])
  expect(new Set(seen).size).toBe(3)
})

test('answers may be compressed: gzip when asked for, refused when broken or unknown', async () => {
  const big = { answer: () => 'y'.repeat(100_000), faults: { gzip: true } }
  const { pool } = await startTestPool([big], { spec: () => ({ headers: { 'accept-encoding': 'gzip' } }) })
  expect(await pool.rpc('', 'm', [])).toHaveLength(100_000)
  for (const encoding of ['gzip', 'snappy']) {
    const odd = await startTestPool([
      { handle: () => ({ headers: { 'content-encoding': encoding }, body: 'no zip' }) },
      { answer: () => 'second' },
    ])
    expect(await odd.pool.rpc('', 'm', [])).toBe('second')
  }
  await expect(pool.rpc('', 'm', [], {})).resolves.toHaveLength(100_000)
  const none = await startTestPool([{ faults: { rpcError: { code: 3, message: 'revert' }, gzip: true } }], {
    spec: () => ({ headers: { 'accept-encoding': 'gzip' } }),
  })
  await expect(none.pool.rpc('', 'm', [])).rejects.toBeInstanceOf(JsonRpcError)
})

test('answers that are too long speak against no upstream: whoever asks decides how long they are', async () => {
  const { pool, servers } = await startTestPool([{ handle: () => ({ body: 'x'.repeat(2_000) }) }], {
    limits: { maxResponseBytes: 1_000, breakerFailures: 2 },
  })
  for (let time = 0; time < 5; time += 1)
    await expect(pool.exchange({ method: 'POST', path: '/' })).rejects.toThrow('answer above 1000 bytes')
  expect(servers[0]?.stats.requests).toBe(5)
  expect(pool.status()).toMatchObject([{ healthy: true, breaker: 'closed', errorRate: 0 }])
})
