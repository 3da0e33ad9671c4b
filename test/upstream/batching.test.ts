import { describe, expect, test } from 'vitest'
import { BadAnswerError, JsonRpcError } from '../../src/errors.ts'
import type { UpstreamPool } from '../../src/upstream/index.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'

const readAll = (pool: UpstreamPool, count: number, method = 'm'): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => pool.rpc('', method, [index])))
const echoes = (count: number) => Array.from({ length: count }, (_, index) => ({ echo: [index] }))

/** However slow the first one is on a busy machine. */
const inOrder = { limits: { hedgeMinMs: 0 }, spec: (_url: string, index: number) => ({ priority: index }) }

test('calls of one turn share requests, up to the item limit', async () => {
  const { pool, servers } = await startTestPool([{}], { limits: { batchItems: 10 } })
  expect(await readAll(pool, 25)).toEqual(echoes(25))
  expect(servers[0]?.stats).toMatchObject({ requests: 3, batches: 3, calls: 25 })
})

test('a lone call is no batch; paths do not mix; batch: false and batchItems 1 travel alone', async () => {
  const { pool, servers } = await startTestPool([{}])
  await pool.rpc('', 'm', [1])
  expect(servers[0]?.stats.batches).toBe(0)
  await Promise.all([pool.rpc('/a', 'm', [1]), pool.rpc('/b', 'm', [1]), pool.rpc('/a', 'm', [2], { batch: false })])
  expect(servers[0]?.stats).toMatchObject({ requests: 4, batches: 0 })
  const single = await startTestPool([{}], { spec: () => ({ batchItems: 1 }) })
  await readAll(single.pool, 5)
  expect(single.servers[0]?.stats).toMatchObject({ requests: 5, batches: 0 })
})

test('the byte limit splits batches too', async () => {
  const { pool, servers } = await startTestPool([{}], { limits: { batchBytes: 2_000 } })
  const long = 'x'.repeat(900)
  const read = (index: number) => pool.rpc('', 'm', [index, long])
  await Promise.all([0, 1, 2, 3, 4].map(read))
  expect(servers[0]?.stats).toMatchObject({ requests: 3, calls: 5 })
})

test('answers in any order find their caller; a missing one is fetched from the next upstream', async () => {
  const backwards = (_request: unknown, body: Buffer) => {
    const entries = JSON.parse(body.toString()) as { id: number; params: number[] }[]
    if (!Array.isArray(entries)) return undefined
    const answers = entries.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: `first ${params[0]}` }))
    return { body: JSON.stringify(answers.reverse().slice(1)) }
  }
  const { pool, servers } = await startTestPool([{ handle: backwards }, { answer: () => 'second' }])
  expect(await readAll(pool, 4)).toEqual(['first 0', 'first 1', 'first 2', 'second'])
  expect(servers[1]?.stats.calls).toBe(1)
})

test('of two answers to one entry neither is believed: the next upstream is asked', async () => {
  const twice = (_request: unknown, body: Buffer) => {
    const entries = JSON.parse(body.toString()) as { id: number; params: number[] }[]
    if (!Array.isArray(entries)) return undefined
    const answers = entries.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: `first ${params[0]}` }))
    return { body: JSON.stringify([...answers, { jsonrpc: '2.0', id: 2, result: 'first, otherwise' }]) }
  }
  const { pool, servers } = await startTestPool([{ handle: twice }, { answer: () => 'second' }])
  expect(await readAll(pool, 3)).toEqual(['first 0', 'second', 'first 2'])
  expect(servers[1]?.stats.calls).toBe(1)
})

test('an answer that its caller finds to be none is fetched from the next upstream, and counts against the first', async () => {
  const check = (answer: unknown) => {
    if (answer === 'first 1') throw new Error('no answer')
  }
  const { pool } = await startTestPool([
    { answer: ({ params }) => `first ${(params as number[])[0]}` },
    { answer: () => 'second' },
  ])
  const read = (index: number) => pool.rpc('', 'm', [index], { check })
  expect(await Promise.all([0, 1, 2].map(read))).toEqual(['first 0', 'second', 'first 2'])
  expect(await pool.rpc('', 'm', [1], { check, batch: false })).toBe('second')
  expect(pool.status()[0]?.errorRate).toBeGreaterThan(0)
  const alone = await startTestPool([{ answer: () => 'first 1' }])
  await expect(alone.pool.rpc('', 'm', [1], { check })).rejects.toBeInstanceOf(BadAnswerError)
})

test('an error of one entry is the error of that entry alone', async () => {
  const { pool, servers } = await startTestPool([
    { faults: { rpcError: { code: 3, message: 'execution reverted', methods: ['bad'] } } },
  ])
  const [good, bad] = await Promise.allSettled([pool.rpc('', 'good', []), pool.rpc('', 'bad', [])])
  expect(good).toMatchObject({ status: 'fulfilled' })
  expect(bad).toMatchObject({ status: 'rejected', reason: { rpcCode: 3 } })
  expect(servers[0]?.stats.requests).toBe(1)
})

test('an upstream that finds a batch too long gets shorter ones, and that is remembered', async () => {
  const most = 10
  const handle = (_request: unknown, body: Buffer) => {
    const entries = JSON.parse(body.toString()) as unknown[]
    if (!Array.isArray(entries) || entries.length <= most) return undefined
    return { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large (max 10)"}}' }
  }
  const { pool, servers } = await startTestPool([{ handle }], { limits: { batchItems: 40 } })
  expect(await readAll(pool, 40)).toEqual(echoes(40))
  const before = servers[0]?.stats.requests ?? 0
  expect(await readAll(pool, 40, 'again')).toEqual(echoes(40))
  expect((servers[0]?.stats.requests ?? 0) - before).toBe(4)
})

test('a batch that geth finds too long: it says so in one entry, under the id of the first call', async () => {
  const handle = (_request: unknown, body: Buffer) => {
    const entries = JSON.parse(body.toString()) as unknown[]
    if (!Array.isArray(entries) || entries.length <= 3) return undefined
    // Byte for byte what geth 1.17.5 says with --rpc.batch-request-limit 3.
    return { body: '[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"batch too large"}}]' }
  }
  const { pool, servers } = await startTestPool([{ handle }])
  expect(await readAll(pool, 12)).toEqual(echoes(12))
  const before = servers[0]?.stats.requests ?? 0
  expect(await readAll(pool, 12, 'again')).toEqual(echoes(12))
  expect((servers[0]?.stats.requests ?? 0) - before).toBe(4)
})

test('who names how many a batch may hold gets that many, also with a status that speaks of trouble', async () => {
  const handle = (_request: unknown, body: Buffer) => {
    const entries = JSON.parse(body.toString()) as unknown[]
    if (!Array.isArray(entries) || entries.length <= 3) return undefined
    // What dRPC says on its free plan.
    const message =
      'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account'
    return { status: 500, body: JSON.stringify({ message, code: 31 }) }
  }
  const { pool, servers } = await startTestPool([{ handle }, {}], inOrder)
  expect(await readAll(pool, 12)).toEqual(echoes(12))
  expect(servers[0]?.stats.requests).toBe(5)
  expect(await readAll(pool, 12, 'again')).toEqual(echoes(12))
  expect(servers[0]?.stats.requests).toBe(9)
  expect(servers[1]?.stats.requests).toBe(0)
  expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
})

test.each([0, 9_999])('who names %d as the most, which cannot be, gets ever shorter batches', async (most) => {
  const handle = (_request: unknown, body: Buffer) =>
    Array.isArray(JSON.parse(body.toString()))
      ? { body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch size exceeds limit ${most}"}}` }
      : undefined
  const { pool, servers } = await startTestPool([{ handle }, {}], inOrder)
  expect(await readAll(pool, 4)).toEqual(echoes(4))
  expect(servers[1]?.stats.requests).toBe(0)
})

test.each([
  [200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}'],
  [200, '{"jsonrpc":"2.0","id":null,"error":{"code":19,"message":"Temporary internal error. Please retry"}}'],
  [200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized: You must authenticate"}}'],
  [403, '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"App is inactive"}}'],
  [403, '<html>Rate limit exceeded</html>'],
  [200, '<html>Down for maintenance</html>'],
])('trouble that answers a whole batch is no refusal of batches: %d %s', async (status, body) => {
  const { pool, servers } = await startTestPool([{ handle: () => ({ status, body }) }, {}])
  expect(await readAll(pool, 6)).toEqual(echoes(6))
  expect(servers[0]?.stats.requests).toBe(1)
  expect(servers[1]?.stats).toMatchObject({ batches: 1, calls: 6 })
})

test('who lets us in nowhere and says so of each entry is passed over after a few batches', async () => {
  const error = { code: -32000, message: 'Unauthorized: You must authenticate your request with an API key.' }
  const handle = (_: unknown, sent: Buffer) => {
    const entries = JSON.parse(sent.toString()) as { id: number }[]
    return { body: JSON.stringify(entries.map(({ id }) => ({ jsonrpc: '2.0', id, error }))) }
  }
  const { pool, servers } = await startTestPool([{ handle }, {}], {
    ...inOrder,
    limits: { ...inOrder.limits, breakerFailures: 2 },
  })
  for (const method of ['a', 'b', 'c', 'd']) expect(await readAll(pool, 3, method)).toEqual(echoes(3))
  expect(servers[0]?.stats.requests).toBe(2)
})

test('who answers all entries but one, to which it lets us in nowhere, is believed about those', async () => {
  const handle = (_: unknown, sent: Buffer) => {
    const entries = JSON.parse(sent.toString()) as { id: number }[]
    const closed = { error: { code: -32000, message: 'Unauthorized: You must authenticate' } }
    return { body: JSON.stringify(entries.map(({ id }) => ({ id, ...(id === 1 ? closed : { result: 'first' }) }))) }
  }
  const { pool, servers } = await startTestPool([{ handle }, {}], inOrder)
  expect(await readAll(pool, 3)).toEqual([{ echo: [0] }, 'first', 'first'])
  expect(servers[1]?.stats.calls).toBe(1)
})

test('a rate limit that answers a batch as one object is a rate limit', async () => {
  const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}'
  const { pool, servers } = await startTestPool([{ handle: () => ({ body }) }, {}])
  expect(await readAll(pool, 3)).toEqual(echoes(3))
  expect(servers[0]?.stats.requests).toBe(1)
  expect(servers[1]?.stats).toMatchObject({ batches: 1, calls: 3 })
})

test('a rate limit of one entry is one of the server: it is left alone for a while', async () => {
  const handle = (_request: unknown, body: Buffer) => {
    const entries = JSON.parse(body.toString()) as { id: number }[]
    const error = { code: -32005, message: 'rate limit exceeded' }
    return { body: JSON.stringify(entries.map(({ id }) => (id === 2 ? { id, error } : { id, result: 'first' }))) }
  }
  const { pool } = await startTestPool([{ handle }, {}], inOrder)
  expect(await readAll(pool, 3)).toEqual(['first', { echo: [1] }, 'first'])
  expect(pool.status()[0]?.pausedUntil).toBeGreaterThan(0)
})

test('the wait that a rate limit names for a whole batch is kept', async () => {
  const message = 'Too many requests, reason: call rate limit exhausted, retry in 120s'
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32090, message } })
  const { pool } = await startTestPool([{ handle: () => ({ body }) }, {}])
  const begun = Date.now()
  expect(await readAll(pool, 3)).toEqual(echoes(3))
  expect(pool.status()[0]?.pausedUntil).toBeGreaterThanOrEqual(begun + 120_000)
})

describe('answers that are too big together', () => {
  const big = { answer: () => 'x'.repeat(30_000) }
  test('are split until they fit our limit', async () => {
    const { pool, servers } = await startTestPool([big, {}], { limits: { maxResponseBytes: 70_000 } })
    const all = await readAll(pool, 8)
    expect(all.every((item) => typeof item === 'string' && item.length === 30_000)).toBe(true)
    expect(servers[1]?.stats.requests).toBe(0)
  })

  test('are asked again when the server cuts the rest of the batch off', async () => {
    const handle = (_request: unknown, body: Buffer) => {
      const entries = JSON.parse(body.toString()) as { id: number }[]
      if (!Array.isArray(entries)) return undefined
      const cut = { code: -32003, message: 'response too large' }
      const answers = entries.map(({ id }) => (id <= 2 ? { id, result: 'small' } : { id, error: cut }))
      return { body: JSON.stringify(answers) }
    }
    const { pool } = await startTestPool([{ handle, answer: () => 'alone' }])
    expect(await readAll(pool, 5)).toEqual(['small', 'small', 'small', 'small', 'alone'])
  })

  test('are asked for in halves of a batch of which the server sends none', async () => {
    const handle = (_request: unknown, body: Buffer) => {
      const entries = JSON.parse(body.toString()) as { id: number }[]
      if (!Array.isArray(entries) || entries.length <= 2) return undefined
      const error = { code: -32003, message: 'response too large' }
      return { body: JSON.stringify(entries.map(({ id }) => ({ id, error }))) }
    }
    const { pool, servers } = await startTestPool([{ handle }, {}], inOrder)
    expect(await readAll(pool, 6)).toEqual(echoes(6))
    expect([servers[0]?.stats.requests, servers[1]?.stats.requests]).toEqual([7, 0])
  })

  test('one that is too big alone is the truth for a server that says so', async () => {
    const { pool } = await startTestPool([{ faults: { rpcError: { code: -32003, message: 'response too large' } } }])
    await expect(pool.rpc('', 'm', [])).rejects.toBeInstanceOf(JsonRpcError)
  })
})

test('a batch whose upstream fails is a batch at the next one', async () => {
  const { pool, servers } = await startTestPool([{ faults: { status: 502 } }, {}])
  expect(await readAll(pool, 20)).toEqual(echoes(20))
  expect(servers[1]?.stats).toMatchObject({ requests: 1, batches: 1, calls: 20 })
})

test('the socket of a batch is closed when everybody aboard has left, not before', async () => {
  const { pool, servers } = await startTestPool([{ faults: { hang: 'headers' } }], {
    limits: { headersTimeoutMs: 20_000 },
  })
  const leaving = [new AbortController(), new AbortController()]
  const calls = leaving.map(({ signal }, index) =>
    pool.rpc('', 'm', [index], { signal }).catch((error: unknown) => error),
  )
  await until(() => servers[0]?.stats.requests === 1, 'the batch arrives')
  leaving[0]?.abort()
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(servers[0]?.stats.aborts).toBe(0)
  leaving[1]?.abort()
  await until(() => servers[0]?.stats.aborts === 1, 'the abort arrives')
  await Promise.all(calls)
})
