import { describe, expect, test } from 'vitest'
import { BadAnswerError, JsonRpcError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../src/errors.ts'
import { createUpstreamPool, type PoolLimits } from '../../src/upstream/index.ts'
import type { Faults } from '../support/upstream/fault-server.ts'
import { startTestPool, TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { passingTime } from './passing-time.ts'

const named = (name: string) => ({ answer: () => name })

describe("an upstream's own trouble sends the read to the next one", () => {
  const troubles: [string, Faults, Partial<PoolLimits>?][] = [
    ['cut connection', { dead: true }],
    ['truncated body', { truncate: true }],
    ['status 500', { status: 500 }],
    ['status 503', { status: 503 }],
    ['status 403', { status: 403 }],
    ['status 404', { status: 404 }],
    ['429', { rateLimited: { retryAfterSeconds: 1 } }],
    ['HTML', { html: true }],
    ['too large', { hugeBytes: 200_000 }],
    ['gzip bomb', { bombBytes: 50_000_000 }],
    ['no headers', { hang: 'headers' }, { headersTimeoutMs: 700 }],
    ['half a body', { hang: 'body' }, { bodyTimeoutMs: 700 }],
    ['-32005', { rpcError: { code: -32005, message: 'limit exceeded' } }],
    ['limit text', { rpcError: { code: -32000, message: 'too many requests' } }],
    ['unfinalized', { rpcError: { code: -32000, message: 'cannot query unfinalized data' } }],
    [
      'after last accepted',
      { rpcError: { code: -32000, message: 'requested from block 9 after last accepted block 5' } },
    ],
    ['header not found', { rpcError: { code: -32000, message: 'header not found' } }],
  ]
  test.each(troubles)('%s', async (_name, faults, limits) => {
    const { pool, servers } = await startTestPool([{ ...named('first'), faults }, named('second')], {
      limits: { maxResponseBytes: 100_000, ...limits },
    })
    expect(await pool.rpc('', 'eth_call', [])).toBe('second')
    expect(servers[0]?.stats.requests).toBe(1)
  })

  test.each([
    '{"jsonrpc":"2.0","id":7,"result":"of another"}',
    '{"jsonrpc":"2.0","id":"7","result":"of another"}',
    '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"of another"}}',
  ])('an answer under another id: %s', async (body) => {
    const { pool } = await startTestPool([{ handle: () => ({ body }) }, named('second')])
    expect(await pool.rpc('', 'eth_call', [])).toBe('second')
  })

  /** JSON whose parts cannot be made a text or a number of: reading it throws. */
  const odd = '{"toString":1,"valueOf":1}'
  test.each([
    `[{"id":${odd},"result":1}]`,
    `[{"id":1,"error":{"message":${odd}}}]`,
    `{"id":1,"error":{"code":429,"message":"","data":{"rate":{"backoff_seconds":${odd}}}}}`,
  ])('an answer that cannot be read, which leaves no place taken: %s', async (body) => {
    const { pool } = await startTestPool([{ handle: () => ({ body }) }, named('second')])
    const calls = body.startsWith('[') ? [1, 2] : [1]
    const told = await Promise.all(calls.map((index) => pool.rpc('', 'eth_call', [index])))
    expect(told).toEqual(calls.map(() => 'second'))
    expect(pool.status()[0]).toMatchObject({ inFlight: 0, errorRate: expect.closeTo(0.1, 2) })
  })

  test('a rate limit under another id is a rate limit', async () => {
    const body = '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"rate limit exceeded"}}'
    const { pool } = await startTestPool([{ handle: () => ({ body }) }])
    const error = await pool.rpc('', 'eth_call', [], { deadline: Date.now() + 300 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UpstreamRateLimitedError)
  })

  test.each(['{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"error":null}', '[]', '7', 'null'])(
    'an answer that has neither a result nor an error: %s',
    async (body) => {
      const { pool } = await startTestPool([{ handle: () => ({ body }) }, named('second')])
      expect(await pool.rpc('', 'eth_call', [])).toBe('second')
    },
  )

  test('an error that is only text is one, and none beside a result is none', async () => {
    const told = (body: string) =>
      startTestPool([{ handle: () => ({ body }) }]).then(({ pool }) => pool.rpc('', 'eth_call', []))
    await expect(told('{"jsonrpc":"2.0","id":1,"error":"no such thing"}')).rejects.toMatchObject({
      name: 'JsonRpcError',
      message: 'no such thing',
    })
    expect(await told('{"id":1,"error":null,"result":"first"}')).toBe('first')
  })

  test('an id that is text, null or left out is no other id', async () => {
    for (const id of ['"id":"1",', '"id":null,', '']) {
      const body = `{"jsonrpc":"2.0",${id}"result":"first"}`
      const { pool } = await startTestPool([{ handle: () => ({ body }) }, named('second')])
      expect(await pool.rpc('', 'eth_call', [])).toBe('first')
    }
  })

  test('refused connection', async () => {
    const { pool, servers } = await startTestPool([named('first'), named('second')])
    await servers[0]?.down()
    expect(await pool.rpc('', 'eth_call', [])).toBe('second')
  })
})

describe('the truth about a request is never asked twice', () => {
  test.each([
    [3, 'execution reverted: nope'],
    [-32000, 'execution reverted'],
    [-32602, 'invalid argument 0'],
    [-32601, 'method not found'],
    [-32000, 'insufficient funds for transfer'],
  ])('%d %s', async (code, message) => {
    const { pool, servers } = await startTestPool([
      { faults: { rpcError: { code, message, data: '0x08' } } },
      named('second'),
    ])
    const error = await pool.rpc('', 'eth_call', []).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(JsonRpcError)
    expect(error).toMatchObject({ rpcCode: code, message, data: '0x08', retryable: false })
    expect(servers[1]?.stats.requests).toBe(0)
    expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
  })

  test('a JSON-RPC error beside an HTTP error status is believed', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad address"}}'
    for (const status of [400, 500]) {
      const { pool } = await startTestPool([{ handle: () => ({ status, body }) }, named('second')])
      await expect(pool.rpc('', 'eth_call', [])).rejects.toMatchObject({ rpcCode: -32602, message: 'bad address' })
    }
  })

  test('who lets us in nowhere is passed over after a few calls, whatever status the words come with', async () => {
    const error = '{"code":-32600,"message":"Must be authenticated!"}'
    for (const status of [200, 401]) {
      const body = `{"jsonrpc":"2.0","id":1,"error":${error}}`
      const { pool, servers } = await startTestPool([{ handle: () => ({ status, body }) }, named('second')], {
        limits: { breakerFailures: 2 },
      })
      for (const param of [1, 2, 3]) expect(await pool.rpc('', 'eth_call', [param])).toBe('second')
      expect(servers[0]?.stats.requests).toBe(2)
    }
  })

  test('who does not answer this question for what we pay is not blamed for it', async () => {
    const message = 'Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode'
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } })
    const { pool } = await startTestPool([{ handle: () => ({ status: 403, body }) }, named('second')])
    expect(await pool.rpc('', 'eth_call', [])).toBe('second')
    expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
    const alone = await startTestPool([{ handle: () => ({ status: 403, body }) }])
    await expect(alone.pool.rpc('', 'eth_call', [])).rejects.toMatchObject({ rpcCode: -32602, message })
  })

  test('a null result is an answer', async () => {
    const { pool } = await startTestPool([{ answer: () => null }, named('second')])
    expect(await pool.rpc('', 'eth_getTransactionByHash', ['0x'])).toBeNull()
  })
})

describe('when everybody failed', () => {
  test('one error names each host and its cause, and no URL', async () => {
    const { pool, servers } = await startTestPool([{ faults: { html: true } }, { faults: { status: 503 } }, {}], {
      spec: (url) => ({ url: `${url}/v2/SECRET-KEY?apikey=SECRET-QUERY` }),
    })
    await servers[2]?.down()
    const error = (await pool.rpc('', 'eth_call', []).catch((thrown: unknown) => thrown)) as Error
    expect(error).toBeInstanceOf(UpstreamUnavailableError)
    expect(error.message).toContain(`${servers[0]?.host} not JSON (text/html)`)
    expect(error.message).toContain(`${servers[1]?.host} status 503`)
    expect(error.message).toContain(`${servers[2]?.host} connection refused`)
    expect(error.message).not.toContain('SECRET')
  })

  test('rate limits everywhere give the shortest wait', async () => {
    const { pool } = await startTestPool([
      { faults: { rateLimited: { retryAfterSeconds: 120 } } },
      { faults: { rateLimited: { retryAfterSeconds: 60 } } },
    ])
    const error = await pool.rpc('', 'eth_call', []).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UpstreamRateLimitedError)
    const { retryAfterMs } = error as UpstreamRateLimitedError
    expect(retryAfterMs).toBeGreaterThan(30_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test('only nonsense is a bad answer', async () => {
    const { pool } = await startTestPool([{ faults: { html: true } }, { handle: () => ({ body: '{"id":1}' }) }])
    await expect(pool.rpc('', 'eth_call', [])).rejects.toBeInstanceOf(BadAnswerError)
  })

  test("a node that is behind has the last word: the caller gets the node's own error", async () => {
    const rpcError = { code: -32000, message: 'cannot query unfinalized data' }
    const { pool } = await startTestPool([{ faults: { rpcError } }, { faults: { dead: true } }])
    await expect(pool.rpc('', 'eth_call', [])).rejects.toMatchObject({ rpcCode: -32000, retryable: true })
  })

  test('attempts are bounded', async () => {
    const { pool, servers } = await startTestPool([{ faults: { status: 500 } }, { faults: { status: 500 } }], {
      limits: { maxAttempts: 3 },
    })
    await expect(pool.rpc('', 'eth_call', [])).rejects.toBeInstanceOf(UpstreamUnavailableError)
    expect((servers[0]?.stats.requests ?? 0) + (servers[1]?.stats.requests ?? 0)).toBe(3)
  })
})

test('a single upstream gets a second chance', async () => {
  const { pool } = await startTestPool([{ faults: ({ number }) => (number === 1 ? { dead: true } : {}) }])
  expect(await pool.rpc('', 'eth_call', [7])).toEqual({ echo: [7] })
})

test('retry-after is honoured: not one request before its time', async () => {
  const { pool, servers } = await startTestPool([
    { faults: ({ number }) => (number === 1 ? { rateLimited: { retryAfterSeconds: 0.4 } } : {}) },
  ])
  const start = Date.now()
  const [first, second] = await Promise.all([
    pool.rpc('', 'a', [], { batch: false }),
    new Promise((resolve) => setTimeout(resolve, 50)).then(() => pool.rpc('', 'b', [], { batch: false })),
  ])
  expect([first, second]).toEqual([{ echo: [] }, { echo: [] }])
  expect(Date.now() - start).toBeGreaterThanOrEqual(390)
  expect(servers[0]?.stats.requests).toBe(3)
})

test('a wait longer than the deadline is no wait', async () => {
  const started = await startTestPool([{ faults: { rateLimited: { retryAfterSeconds: 30 } } }])
  const { passUntil } = passingTime(started)
  const deadline = Date.now() + 20_000
  await expect(passUntil(started.pool.rpc('', 'a', [], { deadline }))).rejects.toBeInstanceOf(UpstreamRateLimitedError)
  expect(Date.now()).toBeLessThan(deadline)
})

test.each<[string | number]>([['0'], ['Wed, 31 Dec 2025 00:00:00 GMT'], ['-5']])(
  'a wait of %j, as of a server whose clock is behind, is none that was named',
  async (retryAfterSeconds) => {
    const { pool, servers } = await startTestPool([
      { faults: ({ number }) => (number === 1 ? { rateLimited: { retryAfterSeconds } } : {}) },
    ])
    expect(await pool.rpc('', 'a', [])).toEqual({ echo: [] })
    expect(servers[0]?.stats.requests).toBe(2)
  },
)

test('priority and order decide among equals', async () => {
  const { pool } = await startTestPool([named('first'), named('second')], {
    spec: (_url, index) => ({ priority: index === 0 ? 5 : 1 }),
  })
  expect(await pool.rpc('', 'a', [])).toBe('second')
})

test('a pool needs at least one upstream, with a URL of a known kind that it never shows', () => {
  expect(() => createUpstreamPool('none', [], TEST_LIMITS)).toThrow('no upstream')
  const show = (url: string): string => {
    try {
      createUpstreamPool('bad', [{ url }], TEST_LIMITS)
      return 'accepted'
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(show('ftp://host/SECRET')).toBe('upstream host: ftp: is not spoken here, use http or https')
  expect(show('://SECRET')).toBe('upstream URL cannot be read')
})
