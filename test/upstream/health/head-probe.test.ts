import { describe, expect, test, vi } from 'vitest'
import { believedHead } from '../../../src/upstream/health/believed-head.ts'
import type { UpstreamPool } from '../../../src/upstream/index.ts'
import { heightProbe, startTestPool } from '../../support/upstream/upstream-pool.ts'
import { until } from '../../support/waiting/until.ts'

const headProbe = heightProbe(25)
const named = (name: string) => ({
  answer: ({ method }: { method: string }) => (method === 'eth_blockNumber' ? undefined : name),
})
/** The probe sleeps while nobody reads, so somebody does until the condition holds. */
const whileRead = async (pool: UpstreamPool, condition: () => boolean, what: string): Promise<void> => {
  const keep = setInterval(() => pool.rpc('', 'keep', [Date.now()]).catch(() => undefined), 20)
  try {
    await until(condition, what)
  } finally {
    clearInterval(keep)
  }
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a laggard is passed over, and asked when nobody else is left', async () => {
  const { pool, servers } = await startTestPool([{ ...named('laggard'), faults: { lag: 10 } }, named('good')], {
    deps: { headProbe },
  })
  await pool.rpc('', 'm', [0])
  await until(() => pool.status()[0]?.lagBlocks === 10, 'the lag is known')
  expect(pool.head()).toBe(100n)
  expect(pool.status()[0]).toMatchObject({ healthy: false, height: 90n, breaker: 'closed' })
  for (let index = 1; index < 20; index += 1) expect(await pool.rpc('', 'm', [index])).toBe('good')
  await servers[1]?.down()
  expect(await pool.rpc('', 'm', ['last resort'])).toBe('laggard')
})

/** A chain that goes on with every question for its height; `behind` tells how far this server is. */
const moving = (name: string, chain: { height: bigint }, behind: () => bigint) => ({
  answer({ method }: { method: string }) {
    if (method !== 'eth_blockNumber') return name
    chain.height += 2n
    return `0x${(chain.height - behind()).toString(16)}`
  },
})

test('a laggard that catches up is taken back; a small lag is no lag', async () => {
  const chain = { height: 100n }
  let behind = 20n
  const { pool } = await startTestPool([moving('first', chain, () => behind), moving('second', chain, () => 0n)], {
    // Longer than the machine stands still between two answers.
    deps: { headProbe: { ...headProbe, intervalMs: 250 } },
    // The first is preferred however fast the other is.
    spec: (_url, index) => ({ priority: index }),
  })
  await pool.rpc('', 'm', [0])
  await until(() => pool.status()[0]?.healthy === false, 'the lag is known')
  behind = 1n
  await whileRead(pool, () => pool.status()[0]?.healthy === true, 'it is known to have caught up')
  expect(await pool.rpc('', 'm', [1])).toBe('first')
  const { height } = chain
  await whileRead(pool, () => chain.height > height + 20n, 'heights are compared some more times')
  expect(pool.status()[0]?.healthy).toBe(true)
})

test('who stands still lags by the first block, as soon as the others have had it for long', async () => {
  const { pool, servers } = await startTestPool([named('still'), named('good')], {
    deps: { headProbe },
    spec: (_url, index) => ({ priority: index }),
  })
  expect(await pool.rpc('', 'm', [0])).toBe('still')
  const [still, good] = servers
  if (good) good.height = 101n
  await whileRead(pool, () => pool.status()[0]?.healthy === false, 'it is known to stand still')
  expect(pool.status()[0]).toMatchObject({ lagBlocks: 1, breaker: 'closed' })
  expect(await pool.rpc('', 'm', [1])).toBe('good')
  if (still) still.height = 101n
  await whileRead(pool, () => pool.status()[0]?.healthy === true, 'it has caught up')
  expect(await pool.rpc('', 'm', [2])).toBe('still')
  await good?.down()
  expect(await pool.rpc('', 'm', [3])).toBe('still')
})

test('who lacks a block of longer ago than the limit is no last resort, before it has caught up', async () => {
  const { pool, servers } = await startTestPool([named('old'), named('good')], {
    deps: { headProbe },
    limits: { maxLagMs: 400 },
  })
  const [old, good] = servers
  expect(await pool.rpc('', 'm', [0])).toBe('old')
  if (good) good.height = 101n
  await whileRead(pool, () => pool.status()[0]?.healthy === false, 'it is known to lag')
  await good?.down()
  const refusals: unknown[] = []
  const isRefused = (): boolean => {
    pool.rpc('', 'm', [Math.random()]).then(
      () => refusals.splice(0),
      (error: unknown) => refusals.push(error),
    )
    return refusals.length > 20
  }
  await whileRead(pool, isRefused, 'nobody is believed any more')
  expect(String(refusals.at(-1))).toMatch(/1 blocks behind, for over 0.4 s/)
  if (old) old.height = 101n
  await whileRead(pool, () => pool.status()[0]?.lagBlocks === 0, 'it has caught up')
  expect(await pool.rpc('', 'm', ['again'])).toBe('old')
})

test.each([
  ['requests at once', { maxConcurrent: 1 }],
  ['requests a second', { requestsPerSecond: 40 }],
])('servers that are asked for more %s than they can answer are watched as well', async (_, limits) => {
  const busy = { ...named('any'), faults: { latencyMs: 20 } }
  const calm = { ...headProbe, intervalMs: 250 }
  const { pool, servers } = await startTestPool([busy, busy], { deps: { headProbe: calm }, limits })
  let reading = true
  const reader = async (): Promise<void> => {
    for (let count = 0; reading; count++)
      await pool.rpc('', 'm', [count], { batch: false, idempotent: false }).catch(() => undefined)
  }
  const readers = Array.from({ length: 150 }, reader)
  await until(() => (servers[0]?.stats.requests ?? 0) > 10, 'they ask')
  servers[0]?.set({ lag: 10, latencyMs: 20 })
  const known = until(() => pool.status()[0]?.lagBlocks === 10, 'the lag is known')
  await known.finally(() => {
    reading = false
    return Promise.all(readers)
  })
})

test('heights are no reason to keep those waiting who may ask a server only now and then', async () => {
  const { pool, servers } = await startTestPool([named('any')], {
    deps: { headProbe },
    limits: { requestsPerSecond: 20 },
  })
  const options = { batch: false, idempotent: false }
  const reader = async (): Promise<void> => {
    for (let count = 0; count < 4; count++) await pool.rpc('', 'm', [count], options)
  }
  await Promise.all(Array.from({ length: 20 }, reader))
  const heights = servers[0]?.stats.seen.filter(({ method }) => method === 'eth_blockNumber') ?? []
  // One at the beginning, and perhaps one at the end. With precedence it would be every other request.
  expect(heights.length).toBeLessThanOrEqual(3)
})

test('the head never goes back', async () => {
  const { pool, servers } = await startTestPool([named('only')], { deps: { headProbe } })
  await pool.rpc('', 'm', [0])
  await until(() => pool.head() === 100n, 'the head is known')
  const server = servers[0]
  if (server) server.height = 50n
  await whileRead(pool, () => pool.status()[0]?.height === 50n, 'the lower height is seen')
  expect(pool.head()).toBe(100n)
})

test('the probe sleeps while nobody uses the pool', async () => {
  const { pool, servers, registry } = await startTestPool([named('only')], { deps: { headProbe } })
  await pause(60)
  expect(servers[0]?.stats.requests).toBe(0)
  await pool.rpc('', 'm', [0])
  await until(() => registry.scheduler.size === 0, 'the probe falls asleep')
  await until(() => pool.status()[0]?.inFlight === 0, 'its last answer has come')
  // The read and one probe, and more of them unless the process stood still meanwhile.
  const probes = servers[0]?.stats.requests ?? 0
  expect(probes).toBeGreaterThan(1)
  await pause(80)
  expect(servers[0]?.stats.requests).toBe(probes)
  await pool.rpc('', 'm', [1])
  await until(() => (servers[0]?.stats.requests ?? 0) > probes + 1, 'the probe is awake again')
})

test('the probe is what closes a breaker again, so that no read is risked for it', async () => {
  let readsWhenClosed: number | undefined
  const reads = () => servers[0]?.stats.seen.filter(({ method }) => method !== 'eth_blockNumber').length
  const { pool, servers } = await startTestPool([{ ...named('first'), faults: { status: 500 } }, named('second')], {
    limits: { breakerFailures: 2, breakerOpenMs: 60 },
    deps: {
      headProbe,
      observe: (event) => {
        if (event.kind === 'breaker' && event.state === 'closed') readsWhenClosed = reads()
      },
    },
  })
  await pool.rpc('', 'm', [0])
  await whileRead(pool, () => pool.status()[0]?.breaker === 'open', 'the breaker opens')
  servers[0]?.set()
  await whileRead(pool, () => pool.status()[0]?.breaker === 'closed', 'the breaker closes')
  expect(readsWhenClosed).toBe(0)
})

test('nonsense instead of a height is trouble of that upstream only', async () => {
  const { pool } = await startTestPool(
    [{ answer: ({ method }) => (method === 'eth_blockNumber' ? 'soon' : 'x') }, named('second')],
    {
      deps: { headProbe },
    },
  )
  await pool.rpc('', 'm', [0])
  await until(() => pool.head() === 100n, 'the head of the other')
  expect(pool.status()[0]?.height).toBeUndefined()
  expect(pool.status()[0]?.errorRate).toBeGreaterThan(0)
})

test('an absurd height of one is not believed when the others agree', () => {
  expect(believedHead([], 3)).toBeUndefined()
  expect(believedHead([5n], 3)).toBe(5n)
  expect(believedHead([100n, 1_000_000n], 3)).toBe(1_000_000n)
  expect(believedHead([100n, 1_000_000n, 99n], 3)).toBe(100n)
  expect(believedHead([100n, 110n, 100n], 3)).toBe(110n)
  expect(believedHead([100n, 1_000_000n, 50n], 3)).toBe(1_000_000n)
})

describe('the first answers after a start', () => {
  const lagging = { ...named('laggard'), faults: { lag: 10 } }
  const isProbe = (body: string) => body.includes('eth_blockNumber')

  test('are not those of a laggard, although its lag becomes known behind them', async () => {
    let tell = (): void => undefined
    const held = new Promise<void>((resolve) => {
      tell = resolve
    })
    const good = { ...named('good'), faults: ({ body }: { body: string }) => (isProbe(body) ? { held } : {}) }
    const { pool, servers } = await startTestPool([lagging, good], { deps: { headProbe } })
    const reads = [pool.rpc('', 'm', [0]), pool.rpc('', 'm', [1], { batch: false })]
    const asked = () => servers[0]?.stats.seen.filter(({ method }) => method === 'm').length
    await until(() => asked() === 2, 'the laggard was asked')
    tell()
    expect(await Promise.all(reads)).toEqual(['good', 'good'])
    expect(pool.status()[0]).toMatchObject({ lagBlocks: 10, errorRate: 0 })
  })

  test('are those of a laggard when nobody else answers', async () => {
    const failing = { faults: ({ body }: { body: string }) => (isProbe(body) ? {} : { status: 500 }) }
    const { pool } = await startTestPool([lagging, failing], { deps: { headProbe } })
    expect(await pool.rpc('', 'm', [0])).toBe('laggard')
  })

  test('do not wait for ever for one that hangs, nor for one that is down', async () => {
    const hanging = { faults: { hang: 'headers' as const } }
    const { pool, servers } = await startTestPool([named('first'), hanging], { deps: { headProbe } })
    expect(await pool.rpc('', 'm', [0])).toBe('first')
    await servers[1]?.down()
    const other = await startTestPool([named('first'), named('second')], { deps: { headProbe } })
    await other.servers[1]?.down()
    expect(await other.pool.rpc('', 'm', [0])).toBe('first')
  })

  test('are held again after a pause in which nobody was watched', async () => {
    const { pool, servers, registry } = await startTestPool([named('laggard'), named('good')], {
      deps: { headProbe },
      spec: (_url, index) => ({ priority: index }),
    })
    expect(await pool.rpc('', 'm', [0])).toBe('laggard')
    await until(() => registry.scheduler.size === 0, 'the probe falls asleep')
    await pause(13 * headProbe.intervalMs)
    servers[0]?.set({ lag: 10 })
    expect(await pool.rpc('', 'm', [1])).toBe('good')
  })

  test('are not held after a pause so short that what was known still says who stands still', async () => {
    const calm = { ...headProbe, intervalMs: 200 }
    const { pool, servers, registry } = await startTestPool([named('first'), named('second')], {
      deps: { headProbe: calm },
      spec: (_url, index) => ({ priority: index }),
    })
    expect(await pool.rpc('', 'm', [0])).toBe('first')
    const then = performance.now()
    await until(() => registry.scheduler.size === 0, 'the probe falls asleep')
    // Held, its answer would be found to be that of a laggard once the other one has told its height.
    servers[0]?.set({ lag: 10 })
    // However long this process stood still meanwhile.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(then)
    const asked = pool.rpc('', 'm', [1])
    clock.mockRestore()
    expect(await asked).toBe('first')
  })

  test('a write is sent once, whoever lags', async () => {
    const { pool, servers } = await startTestPool([lagging, named('good')], { deps: { headProbe } })
    expect(await pool.rpc('', 'm', [0], { idempotent: false })).toBe('laggard')
    expect(servers[1]?.stats.seen.filter(({ method }) => method === 'm')).toEqual([])
  })
})
