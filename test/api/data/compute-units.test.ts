import { Avalanche } from '@avalanche-sdk/chainkit'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../support/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

const KEY = 'a-key-of-the-test'
const plans = {
  default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 60 },
  paid: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 100_000 },
}
const limits = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => /^(ratelimit|retry)/.test(name)))

it('tells callers with a key what is left, and everybody when it is used up', async () => {
  const { url } = await stage.serve({ data: { plans, apiKeys: [{ key: KEY, plan: 'paid' }] } })
  const blocks = (headers: Record<string, string> = {}) => fetch(`${url}/v1/blocks`, { headers })
  const policy = { 'ratelimit-policy': '1000;w=60, 100000;w=86400' }
  expect(limits((await blocks({ 'X-Glacier-Api-Key': KEY })).headers)).toEqual({
    ...policy,
    'ratelimit-limit': '1000',
    'ratelimit-remaining': '980',
  })
  for (const status of [503, 503, 503, 429]) {
    const answer = await blocks()
    expect(answer.status).toBe(status)
    if (status === 503) expect(limits(answer.headers)).toEqual({})
    else {
      const found = limits(answer.headers)
      expect(found).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '0' })
      expect(Number(found['retry-after'])).toBeGreaterThan(0)
      expect(found['ratelimit-reset']).toBe(found['retry-after'])
      expect(await answer.json()).toMatchObject({ statusCode: 429, error: 'Too Many Requests' })
    }
  }
  expect((await blocks({ 'x-glacier-api-key': KEY })).status).toBe(503)
})

it('gives SDKs typed errors without an index, and without units', async () => {
  const { url } = await stage.serve({ data: { plans } })
  const { data } = new Avalanche({ enableTelemetry: false })
  const call = () =>
    data.evm.blocks.listLatestAllChains({}, { serverURL: url, retries: { strategy: 'none' as const } }).then(
      () => 'answered',
      (error: Error) => error.name,
    )
  const names = [await call(), await call(), await call(), await call()]
  const [unavailable, tooMany] = ['ServiceUnavailableError', 'TooManyRequestsError']
  expect(names).toEqual([unavailable, unavailable, unavailable, tooMany])
})

it('has units of their own for the probes of a load balancer, whose clients come from the same address', async () => {
  const { url } = await stage.serve({ data: { plans } })
  for (let call = 0; call < 4; call++) await fetch(`${url}/v1/blocks`)
  expect((await fetch(`${url}/v1/blocks`)).status).toBe(429)
  expect((await fetch(`${url}/v1/health-check`)).status).toBe(429)
  // One unit each, of the 60 a day.
  const probes = await Promise.all(Array.from({ length: 61 }, () => fetch(`${url}/v1/live-check`)))
  expect(probes.filter(({ status }) => status === 200)).toHaveLength(60)
  expect(probes.filter(({ status }) => status === 429)).toHaveLength(1)
})
