import { expect, onTestFinished, test, vi } from 'vitest'
import type { AnswerVerdict, PoolLimits } from '../../src/upstream/index.ts'
import { heightProbe, startTestPool } from '../support/upstream/upstream-pool.ts'
import { eventually } from '../support/waiting/eventually.ts'

const named = (name: string) => ({ answer: () => name })

/** Two upstreams, of which the first fails. The clock moves when the test says so: reads take no time. */
const startFailing = (limits: Partial<PoolLimits>, first = named('first')) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return startTestPool([{ ...first, faults: { status: 500 } }, named('second')], {
    limits: { breakerOpenMs: 300, ...limits },
    // The first is preferred whatever its record, so that only the breaker keeps calls away.
    spec: (_url, index) => ({ priority: index }),
  })
}

test('an upstream that is paused is left alone while others answer', async () => {
  const { pool, servers } = await startTestPool([
    { faults: { rateLimited: { retryAfterSeconds: 60 } } },
    named('second'),
  ])
  for (let index = 0; index < 5; index += 1) expect(await pool.rpc('', 'a', [index])).toBe('second')
  expect(servers[0]?.stats.requests).toBe(1)
  expect(pool.status()[0]?.healthy).toBe(false)
  expect(pool.status()[0]?.breaker).toBe('closed')
})

test('the breaker keeps calls away from the dead and lets one probe through', async () => {
  const { pool, servers } = await startFailing({ breakerFailures: 3 })
  for (let index = 0; index < 10; index += 1) expect(await pool.rpc('', 'a', [index])).toBe('second')
  expect(servers[0]?.stats.requests).toBe(3)
  expect(pool.status()[0]).toMatchObject({ healthy: false, breaker: 'open' })
  vi.setSystemTime(Date.now() + 300)
  for (let index = 0; index < 10; index += 1) expect(await pool.rpc('', 'b', [index])).toBe('second')
  expect(servers[0]?.stats.requests).toBe(4)
  servers[0]?.set()
  vi.setSystemTime(Date.now() + 300)
  expect(await pool.rpc('', 'c', [])).toBe('first')
  expect(pool.status()[0]).toMatchObject({ healthy: true, breaker: 'closed' })
})

test('a probe that is refused for the number of calls is followed by another', async () => {
  const { pool, servers } = await startFailing({ breakerFailures: 1 })
  expect(await pool.rpc('', 'a', [])).toBe('second')
  servers[0]?.set({ rateLimited: { retryAfterSeconds: 1 } })
  vi.setSystemTime(Date.now() + 300)
  expect(await pool.rpc('', 'b', [])).toBe('second')
  expect(servers[0]?.stats.requests).toBe(2)
  servers[0]?.set()
  vi.setSystemTime(Date.now() + 1_000)
  expect(await pool.rpc('', 'c', [])).toBe('first')
})

test('a probe whose answer is longer than there may be is followed by another: nothing is said of the server', async () => {
  let told = 'x'.repeat(5_000)
  const { pool, servers } = await startFailing({ breakerFailures: 1, maxResponseBytes: 2_000 }, { answer: () => told })
  expect(await pool.rpc('', 'a', [])).toBe('second')
  servers[0]?.set()
  vi.setSystemTime(Date.now() + 300)
  expect(await pool.rpc('', 'b', [], { anyLength: true })).toBe('second')
  expect([servers[0]?.stats.requests, pool.status()[0]?.breaker]).toEqual([2, 'open'])
  told = 'first'
  expect(await pool.rpc('', 'c', [])).toBe('first')
})

test('an open breaker is no excuse when nobody else is left', async () => {
  const { pool, servers } = await startTestPool([{ faults: { status: 500 } }], {
    limits: { breakerFailures: 2, breakerOpenMs: 60_000 },
  })
  await expect(pool.rpc('', 'a', [])).rejects.toThrow('status 500')
  expect(pool.status()[0]?.breaker).toBe('open')
  servers[0]?.set()
  expect(await pool.rpc('', 'a', [])).toEqual({ echo: [] })
})

test('a probe whose caller leaves before it is sent is followed by another', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { pool, servers } = await startTestPool([{ ...named('first'), faults: { status: 500 } }, named('second')], {
    limits: { breakerFailures: 1, breakerOpenMs: 300 },
    spec: (_url, index) => ({ priority: index }),
  })
  expect(await pool.rpc('', 'a', [])).toBe('second')
  servers[0]?.set()
  vi.setSystemTime(Date.now() + 300)
  const client = new AbortController()
  const left = pool.rpc('', 'b', [], { signal: client.signal })
  client.abort()
  await expect(left).rejects.toThrow()
  expect(await pool.rpc('', 'c', [])).toBe('first')
})

/**
 * The first is asked first, and answers its height unless it is `closed`; a firewall before it looks at what is asked.
 * Without `probeMs` nobody asks for heights.
 */
const startFirewalled = async (of: { closed: boolean; status: number }, probeMs?: number) => {
  const answer = (body: string) => ({ body: `{"jsonrpc":"2.0","id":1,"result":"${body}"}` })
  const { pool } = await startTestPool(
    [
      {
        handle: (_request, body) =>
          of.closed || body.includes('<script>') ? { status: of.status, body: '' } : answer('0x1'),
      },
      { handle: () => answer('0x1') },
    ],
    {
      spec: (_url, index) => ({ priority: index }),
      ...(probeMs === undefined ? {} : { deps: { headProbe: heightProbe(probeMs) } }),
    },
  )
  const judge = ({ status }: { status: number }): AnswerVerdict =>
    status === 200 ? { kind: 'answer' } : { kind: 'retry', reason: `status ${status}` }
  return { pool, ask: (body: string) => pool.exchange({ method: 'POST', path: '', body }, { judge }) }
}

test('what one client has to say closes no server for others: a firewall before it turns away that alone', async () => {
  const { pool, ask } = await startFirewalled({ closed: false, status: 403 }, 600_000)
  for (let index = 0; index < 10; index += 1) expect((await ask('<script>')).status).toBe(200)
  expect(pool.status()[0]).toMatchObject({ breaker: 'closed', healthy: true })
})

test('a server that refuses us altogether is known by the questions for its height', async () => {
  const { pool, ask } = await startFirewalled({ closed: true, status: 403 }, 1)
  await eventually(async () => {
    await ask('x')
    expect(pool.status()[0]?.breaker).toBe('open')
  })
})

test.each([
  ['that sends us elsewhere', 302, 600_000],
  ['whose height nobody asks for', 403, undefined],
] as const)('a server %s is closed by what clients ask', async (_, status, probeMs) => {
  const { pool, ask } = await startFirewalled({ closed: true, status }, probeMs)
  for (let index = 0; index < 10; index += 1) await ask('x')
  expect(pool.status()[0]?.breaker).toBe('open')
})
