import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { UpstreamUnavailableError } from '../../src/errors.ts'
import { createUpstreamPool, createUpstreamRegistry } from '../../src/upstream/index.ts'
import { startFaultServer } from '../support/upstream/fault-server.ts'
import { startTestPool, TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'
import { passingTime } from './passing-time.ts'

const alone = { batch: false }

test('never more requests at once than maxConcurrent; the others wait and are answered', async () => {
  const { pool, servers } = await startTestPool([{ faults: { latencyMs: 15 } }], { limits: { maxConcurrent: 4 } })
  const all = await Promise.all(Array.from({ length: 30 }, (_, index) => pool.rpc('', 'm', [index], alone)))
  expect(all).toHaveLength(30)
  expect(servers[0]?.stats.maxInFlight).toBe(4)
})

test('a busy upstream spills over to the next healthy one', async () => {
  const slow = { faults: { latencyMs: 100 } }
  const { pool, servers } = await startTestPool([slow, slow], { limits: { maxConcurrent: 5 } })
  await Promise.all(Array.from({ length: 10 }, (_, index) => pool.rpc('', 'm', [index], alone)))
  expect(servers.map(({ stats }) => stats.requests)).toEqual([5, 5])
})

test('requests per second are kept, per upstream', async () => {
  const { pool, servers } = await startTestPool([{}], { spec: () => ({ requestsPerSecond: 20 }) })
  const start = Date.now()
  await Promise.all(Array.from({ length: 30 }, (_, index) => pool.rpc('', 'm', [index], alone)))
  // 20 at once, 10 more at 20 a second.
  expect(Date.now() - start).toBeGreaterThanOrEqual(480)
  expect(servers[0]?.stats.requests).toBe(30)
})

test('a call that waits for its turn can leave, and is never sent', async () => {
  const { pool, servers } = await startTestPool([{ faults: { latencyMs: 100 } }], { limits: { maxConcurrent: 1 } })
  const leaver = new AbortController()
  const first = pool.rpc('', 'first', [], alone)
  const waiting = pool.rpc('', 'second', [], { ...alone, signal: leaver.signal }).catch(() => 'left')
  leaver.abort()
  expect(await waiting).toBe('left')
  await first
  await pool.rpc('', 'third', [], alone)
  expect(servers[0]?.stats.seen.map(({ method }) => method)).toEqual(['first', 'third'])
})

test('who waits for his turn is told when his call leaves, each of a batch', async () => {
  const { pool } = await startTestPool([{ faults: { latencyMs: 50 } }], { limits: { maxConcurrent: 1 } })
  const log: string[] = []
  const call = (name: string, options: object) =>
    pool.rpc('', name, [], { ...options, onSent: () => void log.push(name) })
  const first = call('a', alone)
  const others = [call('b', alone), call('c', {}), call('d', {})]
  await until(() => log.length > 0, 'the first one leaves')
  expect(log).toEqual(['a'])
  await Promise.all([first, ...others])
  expect(log).toEqual(['a', 'b', 'c', 'd'])
})

test('where more is asked than can be answered, as many readings of two calls are answered as there is room for', async () => {
  const started = await startTestPool([{ faults: { latencyMs: 100 } }], { limits: { maxConcurrent: 4 } })
  const { pool, servers } = started
  const { pass, passUntil } = passingTime(started)
  let answered = 0
  const reading = async (number: number): Promise<void> => {
    const options = { ...alone, signal: new AbortController().signal, deadline: Date.now() + 2_000 }
    try {
      await pool.rpc('', 'first', [number], options)
      await pool.rpc('', 'second', [number], options)
      answered += 1
    } catch {
      // Not all can be.
    }
  }
  const readings: Promise<void>[] = []
  // Twice as many as there is room for: 40 calls a second are answered, 80 are asked for.
  for (let number = 0; number < 240; number++) {
    readings.push(reading(number))
    await pass(25)
  }
  await passUntil(Promise.all(readings))
  const calls = servers[0]?.stats.requests ?? 0
  // In the order of their coming nearly all would be cut between their two calls, and the others before the first.
  expect(answered).toBeGreaterThan(0.35 * calls)
})

test('a reading of many calls does not keep those of few calls waiting until it is over', async () => {
  const started = await startTestPool([{ faults: { latencyMs: 10 } }], { limits: { requestsPerSecond: 50 } })
  const { pool, servers } = started
  const { passUntil } = passingTime(started)
  const gone = new AbortController()
  const call = (name: string, signal: AbortSignal) => pool.rpc('', name, [], { ...alone, signal })
  // Uses up what may be asked at once, then asks for 16 more calls all the time, as a wallet of many addresses does.
  await passUntil(Promise.all(Array.from({ length: 50 }, (_, at) => call(`before ${at}`, gone.signal))))
  let calls = 0
  const scan = async (): Promise<void> => {
    while (!gone.signal.aborted && calls < 300) await call(`scan ${calls++}`, gone.signal).catch(() => undefined)
  }
  const scans = Array.from({ length: 16 }, scan)
  const { signal } = new AbortController()
  await passUntil(call('first', signal).then(() => call('second', signal)))
  const sent = servers[0]?.stats.seen.map(({ method }) => method) ?? []
  gone.abort()
  await passUntil(Promise.all(scans))
  // 16 calls wait before each of its own.
  expect(sent.indexOf('second') - 50).toBeLessThan(3 * 16)
})

test('how much a server bears is learned from what it refuses: it is not asked for the rest again and again', async () => {
  const perSecond = 40
  let [room, filledAt, refused] = [perSecond, Number.NaN, 0]
  const faults = () => {
    const now = Date.now()
    if (!Number.isNaN(filledAt)) room = Math.min(perSecond, room + ((now - filledAt) / 1_000) * perSecond)
    filledAt = now
    if (room < 1) {
      refused += 1
      return { rateLimited: { retryAfterSeconds: 1 } }
    }
    room -= 1
    return { latencyMs: 100 }
  }
  const started = await startTestPool([{ faults }])
  const { pass, passUntil } = passingTime(started)
  let answered = 0
  const ask = async (number: number): Promise<void> => {
    await started.pool.rpc('', 'm', [number], { ...alone, deadline: Date.now() + 3_000 }).then(
      () => (answered += 1),
      () => undefined,
    )
  }
  const asked: Promise<void>[] = []
  const seconds = 8
  // Twice of what it bears.
  for (let number = 0; number < 2 * perSecond * seconds; number++) {
    asked.push(ask(number))
    await pass(1_000 / (2 * perSecond))
  }
  await passUntil(Promise.all(asked))
  // Seen: 3 refusals; 193 where nothing is learned.
  expect(refused).toBeLessThan(60)
  expect(answered).toBeGreaterThan(perSecond * seconds * 0.6)
})

describe('sizes', () => {
  test.each([true, false])('an answer above the limit is cut while it arrives, chunked: %s', async (chunked) => {
    // The rest never comes, so that a connection that is not cut stays open.
    const { pool, servers } = await startTestPool([{ faults: { hugeBytes: 50_000_000, chunked, hang: 'body' } }], {
      limits: { maxResponseBytes: 100_000, maxAttempts: 1, bodyTimeoutMs: 600_000 },
    })
    await expect(pool.rpc('', 'm', [])).rejects.toThrow(`${servers[0]?.host} answer above 100000 bytes`)
    await expect(pool.exchange({ method: 'POST', path: '/', body: '{"id":1,"method":"m"}' })).rejects.toThrow(
      'above 100000 bytes',
    )
    await until(() => servers[0]?.stats.aborts === 2, 'both connections are cut')
  })

  test('the limit counts after decompression, and a bomb costs no memory', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    const { pool } = await startTestPool(
      [{ handle: () => ({ headers: { 'content-encoding': 'gzip' }, body: bomb }) }],
      { limits: { maxResponseBytes: 1_000_000, maxAttempts: 1 } },
    )
    const before = process.memoryUsage().rss
    for (let index = 0; index < 5; index += 1)
      await expect(pool.rpc('', 'm', [index])).rejects.toThrow('answer above 1000000 bytes')
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test('an answer of exactly the limit is fine', async () => {
    const body = '{"result":"x"}'
    const { pool } = await startTestPool([{ handle: () => ({ body }) }], { limits: { maxResponseBytes: body.length } })
    expect(await pool.rpc('', 'm', [])).toBe('x')
  })
})

describe('timeouts', () => {
  test.each([
    ['headers', 'no answer in time', { headersTimeoutMs: 150 }],
    ['body', 'answer stalled', { bodyTimeoutMs: 150 }],
  ] as const)('%s', async (hang, reason, timeout) => {
    const { pool, servers } = await startTestPool([{ faults: { hang } }], {
      limits: { ...timeout, maxAttempts: 1 },
    })
    await expect(pool.rpc('', 'm', [])).rejects.toThrow(`${servers[0]?.host} ${reason}`)
    await until(() => servers[0]?.stats.open === 0, 'the connection is closed')
  })
})

describe('connections', () => {
  test('pools on one origin share them; the last pool to close cuts them', async () => {
    const server = await startFaultServer()
    const registry = createUpstreamRegistry()
    const make = (name: string) =>
      createUpstreamPool(name, [{ url: `${server.url}/${name}` }], TEST_LIMITS, { registry })
    const [a, b] = [make('a'), make('b')]
    await a.rpc('', 'm', [])
    await new Promise((resolve) => setTimeout(resolve, 10))
    await b.rpc('', 'm', [])
    expect(server.stats.connections).toBe(1)
    expect(registry.origins()).toEqual([server.url])
    await a.close()
    expect(await b.rpc('', 'm', [1])).toEqual({ echo: [1] })
    await b.close()
    await b.close()
    expect(registry.origins()).toEqual([])
    await until(() => server.stats.open === 0, 'all connections are closed')
    await server.close()
  })

  test('a hundred waves with faults and cancellations leave no socket, slot, timer or flight behind', async () => {
    const { pool, servers, registry } = await startTestPool(
      [
        { faults: ({ number }) => (number % 7 === 0 ? { dead: true } : number % 11 === 0 ? { truncate: true } : {}) },
        { faults: ({ number }) => (number % 5 === 0 ? { html: true } : { latencyMs: 3 }) },
      ],
      { limits: { maxConcurrent: 8, hedgeMinMs: 5, breakerOpenMs: 50 } },
    )
    for (let wave = 0; wave < 100; wave += 1) {
      const leaver = new AbortController()
      const calls = Array.from({ length: 10 }, (_, index) =>
        pool
          .rpc('', 'm', [wave, index], {
            batch: index % 2 === 0,
            ...(index % 3 === 0 ? { signal: leaver.signal } : {}),
          })
          .catch(() => undefined),
      )
      if (wave % 2 === 0) setImmediate(() => leaver.abort())
      await Promise.all(calls)
    }
    await until(() => pool.status().every(({ inFlight }) => inFlight === 0), 'all slots are free')
    expect(registry.scheduler.size).toBe(0)
    for (const { stats } of servers) expect(stats.open).toBeLessThanOrEqual(20)
    await pool.close()
    await until(() => servers.every(({ stats }) => stats.open === 0), 'all connections are closed')
    await until(() => servers.every(({ stats }) => stats.inFlight === 0), 'the servers have nothing left to do')
  })
})

test('without a registry of its own a pool brings one', async () => {
  const server = await startFaultServer()
  const pool = createUpstreamPool('own', [{ url: server.url }], TEST_LIMITS)
  expect(await pool.rpc('', 'm', [1])).toEqual({ echo: [1] })
  await pool.close()
  await expect(pool.rpc('', 'm', [2])).rejects.toBeInstanceOf(UpstreamUnavailableError)
  await until(() => server.stats.open === 0, 'all connections are closed')
  await server.close()
})
