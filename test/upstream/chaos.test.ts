import { describe, expect, test } from 'vitest'
import type { Faults } from '../support/upstream/fault-server.ts'
import { heightProbe, startTestPool } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'

/** A small generator with a seed, so that a failing run can be repeated. */
const createRandom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let value = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
  return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
}

const headProbe = heightProbe(20)
/** The right answer depends on the question alone; a laggard's answer shows its lag. */
const honest = ({ method, params }: { method: string; params: unknown }) =>
  method === 'eth_blockNumber' ? undefined : { right: params }
const stale = ({ method, params }: { method: string; params: unknown }) =>
  method === 'eth_blockNumber' ? undefined : { right: params, stale: true }

describe('one dead, one lagging, one that answers HTML, and one good', () => {
  test('2,000 reads: no wrong answer, no failure', async () => {
    const { pool, servers } = await startTestPool(
      [
        { faults: { dead: true } },
        { answer: stale, faults: { lag: 10 } },
        { faults: { html: true } },
        { answer: honest },
      ],
      { limits: { breakerOpenMs: 100, maxAttempts: 6, hedgeMinMs: 150 }, deps: { headProbe } },
    )
    await pool.rpc('', 'warm', [])
    await until(() => pool.status()[1]?.lagBlocks === 10, 'the lag is known')
    for (let wave = 0; wave < 40; wave += 1) {
      const questions = Array.from({ length: 50 }, (_, index) => [wave, index])
      const answers = await Promise.all(
        questions.map((params, index) => pool.rpc('', 'm', params, { batch: index % 2 === 0 })),
      )
      expect(answers).toEqual(questions.map((right) => ({ right })))
    }
    expect(servers[1]?.stats.seen.filter(({ method }) => method === 'm')).toEqual([])
  })

  test('with only those three left, the laggard answers: nobody else can', async () => {
    const { pool } = await startTestPool(
      [{ faults: { dead: true } }, { answer: stale, faults: { lag: 10 } }, { faults: { html: true } }],
      { limits: { breakerOpenMs: 100, maxAttempts: 6, hedgeMinMs: 150 }, deps: { headProbe } },
    )
    for (let index = 0; index < 50; index += 1)
      expect(await pool.rpc('', 'm', [index])).toEqual({ right: [index], stale: true })
  })
})

const FAULTS: readonly Faults[] = [
  { dead: true },
  { truncate: true },
  { status: 500 },
  { status: 502 },
  { html: true },
  { rateLimited: { retryAfterSeconds: 0.02 } },
  { rpcError: { code: -32005, message: 'limit exceeded' } },
  { rpcError: { code: -32000, message: 'header not found' } },
  { refuseBatches: 'object' },
  { refuseBatches: 'status' },
  { hugeBytes: 100_000 },
  { bombBytes: 1_000_000 },
  { latencyMs: 40 },
  { hang: 'headers' },
  { hang: 'body' },
  { gzip: true },
]

const SEEDS = [1, 2, 3, Date.now() % 1_000_000]

test.each(SEEDS)(
  'random faults, seed %d: every answer is right or an error, and everything is given back',
  async (seed) => {
    const random = createRandom(seed)
    const pick = (): Faults => (random() < 0.6 ? {} : (FAULTS[Math.floor(random() * FAULTS.length)] ?? {}))
    const server = { answer: honest, faults: pick }
    const { pool, servers, registry } = await startTestPool([server, server, server], {
      limits: {
        headersTimeoutMs: 80,
        bodyTimeoutMs: 80,
        maxResponseBytes: 50_000,
        hedgeMinMs: 10,
        breakerOpenMs: 30,
        maxConcurrent: 6,
        maxAttempts: 8,
      },
    })
    let right = 0
    let total = 0
    const ask = async (params: unknown[]): Promise<void> => {
      const batch = random() < 0.7
      const patience = random() < 0.05 ? { signal: AbortSignal.timeout(5) } : {}
      const answer = await pool
        .rpc('', 'm', params, { batch, ...patience, deadline: Date.now() + 30_000 })
        .catch((error: unknown) => error)
      // Who hangs up before the answer wants none; how many do so in time depends on the machine.
      if (patience.signal?.aborted === true && answer instanceof Error) return
      total += 1
      if (answer instanceof Error) return
      expect(answer).toEqual({ right: params })
      right += 1
    }
    for (let wave = 0; wave < 10; wave += 1)
      await Promise.all(Array.from({ length: 20 }, (_, index) => ask([wave, index % 15])))
    expect(right / total).toBeGreaterThan(0.85)
    expect(pool.status().map(({ inFlight }) => inFlight)).toEqual([0, 0, 0])
    expect(registry.scheduler.size).toBe(0)
    await pool.close()
    for (const { stats } of servers) expect(stats.requests).toBeLessThan(2 * total)
  },
)
