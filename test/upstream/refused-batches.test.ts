import { describe, expect, test } from 'vitest'
import type { UpstreamPool } from '../../src/upstream/index.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'

const readAll = (pool: UpstreamPool, count: number, method = 'm'): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => pool.rpc('', method, [index])))
const echoes = (count: number) => Array.from({ length: count }, (_, index) => ({ echo: [index] }))

/** However slow the first one is on a busy machine. */
const inOrder = { limits: { hedgeMinMs: 0 }, spec: (_url: string, index: number) => ({ priority: index }) }

describe('an upstream that refuses batches', () => {
  test.each(['status', 'object', 'empty'] as const)(
    'as %s: asked one by one, and remembered',
    async (refuseBatches) => {
      const { pool, servers, events } = await startTestPool([{ faults: { refuseBatches } }, {}], inOrder)
      expect(await readAll(pool, 6)).toEqual(echoes(6))
      expect(servers[0]?.stats.calls).toBe(6)
      const before = servers[0]?.stats.requests ?? 0
      expect(await readAll(pool, 6, 'again')).toEqual(echoes(6))
      expect((servers[0]?.stats.requests ?? 0) - before).toBe(6)
      expect(servers[0]?.stats.seen.filter(({ method }) => method === 'again')).toHaveLength(6)
      expect(servers[1]?.stats.requests).toBe(0)
      expect(events).toContainEqual(expect.objectContaining({ kind: 'batch-limit', items: 1 }))
      expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
    },
  )

  test('on one path only', async () => {
    const { pool, servers } = await startTestPool([
      {
        handle: ({ url }, body) => (url === '/no' && body[0] === 91 ? { status: 400, body: 'no batches' } : undefined),
      },
    ])
    await Promise.all([pool.rpc('/no', 'm', [1]), pool.rpc('/no', 'm', [2])])
    await Promise.all([pool.rpc('/yes', 'm', [1]), pool.rpc('/yes', 'm', [2])])
    expect(servers[0]?.stats).toMatchObject({ requests: 4, batches: 1, calls: 4 })
  })
})

test('who answers a batch with the answer to one call is asked one by one', async () => {
  const handle = (_: unknown, sent: Buffer) =>
    sent[0] === 91 ? { body: '{"jsonrpc":"2.0","id":1,"result":"of which?"}' } : undefined
  const { pool, servers } = await startTestPool([{ handle }, {}], inOrder)
  expect(await readAll(pool, 3)).toEqual(echoes(3))
  expect([servers[0]?.stats.requests, servers[1]?.stats.requests]).toEqual([4, 0])
})

test('a plan without batches is a refusal of batches', async () => {
  // Helius, with a key of the free plan.
  const message = 'Batch requests are only available for paid plans. Please upgrade if you would like to gain access'
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32403, message } })
  const { pool, servers } = await startTestPool(
    [{ handle: (_, sent) => (sent[0] === 91 ? { status: 403, body } : undefined) }, {}],
    inOrder,
  )
  expect(await readAll(pool, 4)).toEqual(echoes(4))
  expect([servers[0]?.stats.requests, servers[1]?.stats.requests]).toEqual([5, 0])
})

test('a server of Rust that takes no batches says so under a code of limits', async () => {
  const handle = (_request: unknown, body: Buffer) =>
    body[0] === 91
      ? {
          body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Batched requests are not supported by this server"}}',
        }
      : undefined
  const { pool, servers } = await startTestPool([{ handle }, {}], inOrder)
  expect(await readAll(pool, 4)).toEqual(echoes(4))
  expect([servers[0]?.stats.requests, servers[1]?.stats.requests]).toEqual([5, 0])
})
