import { expect, onTestFinished, test, vi } from 'vitest'
import type { Faults } from '../support/upstream/fault-server.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'
import { gate } from '../support/waiting/gate.ts'
import { until } from '../support/waiting/until.ts'

const named = (name: string) => ({ answer: () => name })

test('a slow read is asked of one other upstream, and the slow socket is closed', async () => {
  const { pool, servers, events } = await startTestPool(
    [{ ...named('slow'), faults: { hang: 'headers' } }, named('second'), named('third')],
    { limits: { hedgeMinMs: 20 } },
  )
  expect(await pool.rpc('', 'a', [])).toBe('second')
  await until(() => servers[0]?.stats.aborts === 1, 'the slow server sees the abort')
  expect(servers[2]?.stats.requests).toBe(0)
  expect(events.filter(({ kind }) => kind === 'hedge')).toHaveLength(1)
})

test('never before hedgeMinMs, and only one extra', async () => {
  let askedAt = 0
  const second = () => {
    askedAt = performance.now()
    return 'second'
  }
  const { pool, servers } = await startTestPool([named('first'), { answer: second }, named('third')], {
    limits: { hedgeMinMs: 60 },
    spec: (_url, index) => ({ priority: index }),
  })
  for (let index = 0; index < 10; index += 1) await pool.rpc('', 'warm', [index])
  // Calls of before may still be on their way here.
  const asked = () => servers.slice(1).map(({ stats }) => stats.seen.filter(({ method }) => method === 'a').length)
  servers[0]?.set({ hang: 'headers' })
  const begin = performance.now()
  expect(await pool.rpc('', 'a', [])).toBe('second')
  expect(asked()).toEqual([1, 0])
  expect(askedAt - begin).toBeGreaterThanOrEqual(60)
})

test('a fast pool never hedges, 0 switches hedging off, writes are never hedged', async () => {
  const fast = await startTestPool([named('first'), named('second')], { limits: { hedgeMinMs: 10_000 } })
  for (let index = 0; index < 50; index += 1) await fast.pool.rpc('', 'a', [index])
  // Whom a busy machine finds slower is asked second, but nobody is asked twice.
  expect(fast.servers.map(({ stats }) => stats.requests).reduce((a, b) => a + b)).toBe(50)

  const slow = { ...named('slow'), faults: { latencyMs: 300 } }
  const off = await startTestPool([slow, named('second')], { limits: { hedgeMinMs: 0 } })
  expect(await off.pool.rpc('', 'a', [])).toBe('slow')
  expect(off.servers[1]?.stats.requests).toBe(0)

  const writes = await startTestPool([slow, named('second')], { limits: { hedgeMinMs: 10 } })
  expect(await writes.pool.rpc('', 'eth_sendRawTransaction', ['0x'], { idempotent: false })).toBe('slow')
  expect(writes.servers[1]?.stats.requests).toBe(0)
})

test('an upstream that hangs loses its place after a few lost races', async () => {
  const { pool, servers } = await startTestPool([{ faults: { hang: 'headers' } }, named('second')], {
    limits: { hedgeMinMs: 10, breakerFailures: 3, breakerOpenMs: 60_000, headersTimeoutMs: 60_000 },
    // The second one is not asked first, however quick, and the first not beside it, however slow that is.
    spec: (_url, index) => ({ priority: index }),
  })
  for (let index = 0; index < 20; index += 1) expect(await pool.rpc('', 'a', [index])).toBe('second')
  expect(servers[0]?.stats.requests).toBe(3)
})

test('hedges are bounded when everybody is slow', async () => {
  const slow = { faults: { latencyMs: 60 } }
  const { pool, events } = await startTestPool([slow, slow], {
    limits: { hedgeMinMs: 5, maxConcurrent: 1_000, breakerFailures: 1_000_000, headersTimeoutMs: 60_000 },
    spec: () => ({ batchItems: 1 }),
  })
  const reads = 200
  const begin = performance.now()
  await Promise.all(Array.from({ length: reads }, (_, index) => pool.rpc('', 'a', [index])))
  const seconds = (performance.now() - begin) / 1_000
  const hedges = events.filter(({ kind }) => kind === 'hedge').length
  expect(hedges).toBeGreaterThan(0)
  // A tenth of the reads, the burst of ten saved beforehand, and one a second.
  expect(hedges).toBeLessThanOrEqual(reads / 10 + 10 + seconds)
})

test('hedges that were spent are earned again by the reads that follow', async () => {
  const { pool, servers } = await startTestPool([named('first'), named('second')], {
    limits: { hedgeMinMs: 1_000, breakerFailures: 1_000_000, headersTimeoutMs: 60_000 },
    spec: (_url, index) => ({ priority: index }),
  })
  const quick = async (name: string) => {
    for (let index = 0; index < 200; index += 1) await pool.rpc('', name, [index])
  }
  await quick('before')
  for (const round of ['once', 'again']) {
    servers[0]?.set({ hang: 'headers' })
    const hung = Array.from({ length: 10 }, (_, index) => pool.rpc('', round, [index], { batch: false }))
    expect(await Promise.all(hung)).toEqual(hung.map(() => 'second'))
    servers[0]?.set({})
    await quick(`${round} and after`)
  }
})

test('reads for which no hedge is left are asked of another once the first is known to hang', async () => {
  const { pool } = await startTestPool([{ faults: { hang: 'headers' } }, named('second')], {
    limits: { hedgeMinMs: 10, breakerFailures: 3, breakerOpenMs: 60_000, headersTimeoutMs: 60_000 },
    spec: (_url, index) => ({ priority: index, batchItems: 1 }),
  })
  // Ten hedges are saved up: they show that the first server hangs, while as many again wait at it.
  const reads = Array.from({ length: 40 }, (_, index) => pool.rpc('', 'a', [index]))
  expect(await Promise.all(reads)).toEqual(reads.map(() => 'second'))
})

test('so are those of one batch, whose server is not known to hang while one of them waits there', async () => {
  const { pool, servers } = await startTestPool([{ faults: { hang: 'headers' } }, named('second')], {
    limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index }),
  })
  const reads = Array.from({ length: 60 }, (_, index) => pool.rpc('', 'a', [index]))
  expect(await Promise.all(reads)).toEqual(reads.map(() => 'second'))
  expect(servers[0]?.stats.requests).toBe(1)
})

test('where two hang and no hedge is left, the next is asked all the same, however few ask', async () => {
  const { pool, servers } = await startTestPool([{ faults: { hang: 'headers' } }, named('second'), named('third')], {
    limits: { hedgeMinMs: 10, breakerFailures: 1_000_000, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index, batchItems: 1 }),
  })
  const before = Array.from({ length: 11 }, (_, index) => pool.rpc('', 'before', [index]))
  expect(await Promise.all(before)).toEqual(before.map(() => 'second'))
  servers[1]?.set({ hang: 'headers' })
  expect(await pool.rpc('', 'a', [])).toBe('third')
})

test('when the first fails while the hedge is under way, the hedge decides', async () => {
  const { pool } = await startTestPool(
    [{ faults: { latencyMs: 150, status: 500 } }, { ...named('second'), faults: { latencyMs: 200 } }],
    { limits: { hedgeMinMs: 10 } },
  )
  expect(await pool.rpc('', 'a', [])).toBe('second')
})

test.each([503, 404])(
  'who swallows a question is not waited for once one that was starting (%i) answers',
  async (status) => {
    const { pool, servers } = await startTestPool(
      [{ faults: { hang: 'headers' } }, { ...named('second'), faults: { status } }],
      { limits: { hedgeMinMs: 10, headersTimeoutMs: 60_000 }, spec: (_url, index) => ({ priority: index }) },
    )
    const read = pool.rpc('', 'a', [])
    await until(() => servers[1]?.stats.requests === 1, 'the second server is asked while it starts')
    servers[1]?.set({})
    expect(await read).toBe('second')
  },
)

test.each<[string, Faults]>([
  ['refuses', { status: 503 }],
  ['is asked for too much', { rateLimited: { retryAfterSeconds: 60 } }],
  ['cuts the connection', { dead: true }],
])('when the first hangs and the one asked besides it %s, the next is asked', async (_name, faults) => {
  const { pool, servers, events } = await startTestPool([{ faults: { hang: 'headers' } }, { faults }, named('third')], {
    limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index }),
  })
  expect(await pool.rpc('', 'a', [])).toBe('third')
  await until(() => servers[0]?.stats.aborts === 1, 'the slow server sees the abort')
  expect(events.filter(({ kind }) => kind === 'hedge')).toHaveLength(1)
})

test.each([
  ['by this call', 0],
  ['by this call and says so late', 300],
  ['by another', 0],
])('who was asked for too much %s is asked beside one that hangs when its pause is over', async (whose, latencyMs) => {
  const { pool, servers, events } = await startTestPool(
    [{ ...named('paused'), faults: { latencyMs, rateLimited: { retryAfterSeconds: 1 } } }, named('hangs')],
    { limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000 }, spec: (_url, index) => ({ priority: index }) },
  )
  if (whose === 'by another') expect(await pool.rpc('', 'another', [])).toBe('hangs')
  const before = servers[1]?.stats.requests ?? 0
  servers[1]?.set({ hang: 'headers' })
  const answer = pool.rpc('', 'a', [])
  await until(() => (servers[1]?.stats.requests ?? 0) > before, 'the second one is asked')
  await until(() => events.some(({ kind }) => kind === 'paused'), 'the first one is paused')
  servers[0]?.set({})
  expect(await answer).toBe('paused')
})

test('who is asked anew behind its pause is not asked twice at once when the other one fails', async () => {
  const told = gate()
  const refused = gate()
  const { pool, servers, events } = await startTestPool(
    [
      { ...named('paused'), faults: { rateLimited: { retryAfterSeconds: 1 } } },
      { faults: { held: refused.opened, status: 500 } },
    ],
    { limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000 }, spec: (_url, index) => ({ priority: index }) },
  )
  const answer = pool.rpc('', 'a', [])
  await until(() => events.some(({ kind }) => kind === 'paused'), 'the first one is paused')
  servers[0]?.set({ held: told.opened })
  await until(() => servers[0]?.stats.requests === 2, 'the first one is asked again')
  // By now it might be asked for more.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 })
  onTestFinished(() => void vi.useRealTimers())
  refused.open()
  await until(() => events.filter(({ kind }) => kind === 'failover').length === 2, 'the second one fails')
  told.open()
  expect(await answer).toBe('paused')
  const { host } = servers[0] ?? {}
  expect(events.filter((event) => event.kind === 'attempt' && event.host === host)).toHaveLength(2)
})

test('those asked beside a hanging one count as attempts, too', async () => {
  const { pool, servers } = await startTestPool(
    [{ faults: { hang: 'headers' } }, { faults: { status: 503 } }, named('third')],
    { limits: { hedgeMinMs: 10, maxAttempts: 2 }, spec: (_url, index) => ({ priority: index }) },
  )
  const call = pool.rpc('', 'a', [], { deadline: Date.now() + 1_000 })
  await expect(call).rejects.toThrow()
  expect(servers[2]?.stats.requests).toBe(0)
})

test('where the one asked beside a hanging one hangs, too, another is asked', async () => {
  const hangs = { faults: { hang: 'headers' } } as const
  const { pool } = await startTestPool([hangs, hangs, named('third')], {
    limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index }),
  })
  expect(await pool.rpc('', 'a', [], { deadline: Date.now() + 60_000 })).toBe('third')
})
