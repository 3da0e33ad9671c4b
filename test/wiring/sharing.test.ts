import { afterEach, expect, it, onTestFinished } from 'vitest'
import { startRedis, whyNoRedis } from '../support/programs/redis-server.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'

const missing = whyNoRedis()
if (missing) console.warn(`sharing is not tested: ${missing}`)

const stage = createStage()
afterEach(() => stage.clear())

const KEY = 'a-key-of-the-test'
const plans = {
  default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 1_000 },
  paid: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 100 },
}

/** Servers over one Redis; each call costs 20 units. */
async function startTwo() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const settings = {
    metrics: { enabled: false },
    node: { healthCheckFrequencyMs: 100 },
    data: { plans, apiKeys: [{ key: KEY, plan: 'paid' }] },
    // A busy machine may take its time: only the end of the server is meant to be told.
    redis: { url: redis.url, timeoutMs: 5_000 },
  }
  const urls = await Promise.all([stage.serve(settings), stage.serve(settings)])
  const [one, other] = urls.map(({ url }) => ({
    remaining: async () => {
      const answer = await fetch(`${url}/v1/blocks`, { headers: { 'x-glacier-api-key': KEY } })
      await answer.arrayBuffer()
      return answer.status === 429 ? 'none' : Number(answer.headers.get('ratelimit-remaining'))
    },
    redisCheck: async () => {
      const answer = await fetch(`${url}/ext/health`)
      const { checks } = (await answer.json()) as { checks: Record<string, { message?: { state: string } }> }
      return checks['redis']
    },
  }))
  if (!one || !other) throw new Error('no servers')
  return { redis, one, other }
}

it.skipIf(missing)(
  'processes share one budget, and each goes on with its own part of it while the Redis server is away',
  async () => {
    const { redis, one, other } = await startTwo()
    expect(await one.remaining()).toBe(80)
    expect(await other.remaining()).toBe(60)
    expect(await one.remaining()).toBe(40)
    await redis.kill()
    // What each has served itself: 60 with this call, and 40.
    for (const { redisCheck } of [one, other])
      await eventually(async () => expect((await redisCheck())?.message?.state).toBe('alone'))
    expect(await one.remaining()).toBe(40)
    expect(await other.remaining()).toBe(60)
    expect(await one.remaining()).toBe(20)
    expect(await one.remaining()).toBe(0)
    expect(await one.remaining()).toBe('none')
  },
)

it.skipIf(missing)('processes of which another one has used everything up refuse', async () => {
  const { one, other } = await startTwo()
  for (const left of [80, 60, 40, 20, 0]) expect(await one.remaining()).toBe(left)
  expect(await other.remaining()).toBe('none')
})
