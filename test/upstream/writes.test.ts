import { expect, test } from 'vitest'
import { JsonRpcError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../src/errors.ts'
import type { Faults } from '../support/upstream/fault-server.ts'
import { startTestPool, TEST_LIMITS } from '../support/upstream/upstream-pool.ts'

const write = { idempotent: false }
const asked = (servers: { stats: { requests: number } }[]) => servers.map(({ stats }) => stats.requests)

test.each<[string, Faults, new (...args: never[]) => Error]>([
  ['cut connection', { dead: true }, UpstreamUnavailableError],
  ['truncated answer', { truncate: true }, UpstreamUnavailableError],
  ['no answer', { hang: 'headers' }, UpstreamUnavailableError],
  ['status 502', { status: 502 }, UpstreamUnavailableError],
  ['429', { rateLimited: { retryAfterSeconds: 1 } }, UpstreamRateLimitedError],
  ['behind', { rpcError: { code: -32000, message: 'header not found' } }, JsonRpcError],
])('a write that may have arrived is not sent again: %s', async (_name, faults, kind) => {
  const headersTimeoutMs = faults.hang ? 300 : TEST_LIMITS.headersTimeoutMs
  const { pool, servers } = await startTestPool([{ faults }, {}], { limits: { headersTimeoutMs } })
  await expect(pool.rpc('', 'eth_sendRawTransaction', ['0x'], write)).rejects.toBeInstanceOf(kind)
  expect(asked(servers)).toEqual([1, 0])
})

test('a write whose connection was never made goes to another upstream', async () => {
  const { pool, servers } = await startTestPool([{}, { answer: () => 'second' }])
  await servers[0]?.down()
  expect(await pool.rpc('', 'eth_sendRawTransaction', ['0x'], write)).toBe('second')
  const raw = await pool.exchange({ method: 'POST', path: '/', body: '{"id":1,"method":"m"}' }, write)
  expect(raw.host).toBe(servers[1]?.host)
})

test('writes are not put into batches', async () => {
  const { pool, servers } = await startTestPool([{}])
  await Promise.all([pool.rpc('', 'a', ['0x'], write), pool.rpc('', 'a', ['0x'], write)])
  expect(servers[0]?.stats).toMatchObject({ requests: 2, batches: 0 })
})

test('the answer to a raw write comes back whatever it says, and counts against the upstream', async () => {
  for (const status of [429, 503]) {
    const { pool, servers } = await startTestPool([{ handle: () => ({ status, body: 'mine' }) }, {}])
    const answer = await pool.exchange({ method: 'POST', path: '/', body: 'x' }, write)
    expect([answer.status, answer.body.toString()]).toEqual([status, 'mine'])
    expect(asked(servers)).toEqual([1, 0])
  }
  const judged = await startTestPool([{ handle: () => ({ body: 'behind' }) }, {}])
  const judge = () => ({ kind: 'retry', reason: 'behind', behind: true }) as const
  const answer = await judged.pool.exchange({ method: 'POST', path: '/', body: 'x' }, { ...write, judge })
  expect(answer.body.toString()).toBe('behind')
  expect(asked(judged.servers)).toEqual([1, 0])
})
