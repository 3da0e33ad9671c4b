import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { afterEach, expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage, WEIGHTS } from '../../../src/api/data/compute-units.ts'
import { addressChainRoutes } from '../../../src/api/data/evm/address-chains.ts'
import { evmLatestRoutes } from '../../../src/api/data/evm/latest.ts'
import { nftRoutes } from '../../../src/api/data/evm/nfts.ts'
import { healthRoutes } from '../../../src/api/data/health.ts'
import { balanceRoutes } from '../../../src/api/data/primary/balances.ts'
import { primaryBlockRoutes } from '../../../src/api/data/primary/blocks.ts'
import { lastActivityRoutes } from '../../../src/api/data/primary/last-activity.ts'
import { utxoRoutes } from '../../../src/api/data/primary/utxos.ts'
import { createSharedUsage, type UsageOfAll } from '../../../src/api/data/shared-usage.ts'
import { loadConfig } from '../../../src/config/index.ts'
import type { DataOperation } from '../../../src/schemas/index.ts'
import { sendRaw } from '../../support/server/raw-http.ts'
import { createStage } from '../../support/server/stage.ts'

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

it('takes the first key where a proxy has put the same header in once more', async () => {
  const { url } = await stage.serve({ data: { keyRequired: true, plans, apiKeys: [{ key: KEY, plan: 'paid' }] } })
  const twice = async (first: string, second: string): Promise<number> => {
    const headers = [
      ['host', 'x'],
      // A value is no name.
      ['x-headers', 'x-glacier-api-key'],
      ['X-Glacier-Api-Key', first],
      ['x-glacier-api-key', second],
    ] as const
    const request = { method: 'GET', target: '/v1/blocks', headers, body: Buffer.alloc(0) }
    return (await sendRaw(Number(new URL(url).port), request)).status
  }
  expect(await twice(KEY, KEY)).toBe(503)
  expect(await twice(KEY, 'other')).toBe(503)
  expect(await twice('other', KEY)).toBe(401)
})

it('charges nothing for what it refuses: a caller who insists has his day left, and smaller calls are served', async () => {
  const budgets = { default: { computeUnitsPerMinute: 110, computeUnitsPerDay: 230 } }
  let now = 0
  const units = createComputeUnits(
    { plans: budgets, apiKeys: [], keyRequired: false },
    createMemoryUsage(10, () => now),
    () => now,
  )
  const ask = (weight: 'xl' | 'small') => units.admit(undefined, '127.0.0.1', weight)
  expect((await ask('xl')).ok).toBe(true)
  for (let call = 0; call < 50; call++) {
    expect(await ask('xl')).toMatchObject({
      status: 429,
      message: 'this call takes 100 compute units, and 10 of 110 a minute are left; try again in 60 s',
      headers: { 'ratelimit-limit': '110', 'ratelimit-remaining': '10', 'retry-after': '60' },
    })
  }
  expect((await ask('small')).ok).toBe(true)
  expect(await ask('small')).toMatchObject({
    status: 429,
    message: '110 compute units a minute are used up; try again in 60 s',
  })
  now = 60_000
  expect((await ask('xl')).ok).toBe(true)
  now = 120_000
  expect(await ask('xl')).toMatchObject({
    status: 429,
    message: 'this call takes 100 compute units, and 20 of 230 a day are left; try again in 86280 s',
  })
})

/** Sums that a server far away keeps: whoever asks waits, and others ask meanwhile. */
function farUsage() {
  const kept = createMemoryUsage()
  const all: UsageOfAll = {
    add: async (...args) => {
      await new Promise(setImmediate)
      return kept.add(...args)
    },
  }
  return { kept, usage: createSharedUsage(all, createMemoryUsage()) }
}

it('a small call has what is left also while large ones are being refused', async () => {
  const budgets = { default: { computeUnitsPerMinute: 150, computeUnitsPerDay: 10_000 } }
  const units = createComputeUnits({ plans: budgets, apiKeys: [], keyRequired: false }, farUsage().usage, () => 0)
  const ask = (weight: 'xl' | 'small') => units.admit(undefined, '127.0.0.1', weight)
  expect((await ask('xl')).ok).toBe(true)
  const answers = await Promise.all([ask('xl'), ask('xl'), ask('xl'), ask('small'), ask('small')])
  expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, true, true])
  expect(await ask('xl')).toMatchObject({
    message: 'this call takes 100 compute units, and 30 of 150 a minute are left; try again in 60 s',
  })
})

it('what this process refuses is not counted by the others, and neither is what they refuse counted here', async () => {
  const { kept, usage } = farUsage()
  await usage.add('a', 80, 1_000, 100)
  await kept.add('a', -80, 1_000)
  expect(await usage.add('a', 30, 1_000, 100)).toBe(110)
  expect(await kept.add('a', 0, 1_000)).toBe(0)
  await kept.add('a', 90, 1_000)
  expect(await usage.add('a', 20, 1_000, 100)).toBe(110)
  expect(await usage.add('a', 10, 1_000, 100)).toBe(100)
})

it('tells of the tighter budget what is left, and of the one that is over for longer when to come back', async () => {
  const plan = (computeUnitsPerMinute: number) => ({ default: { computeUnitsPerMinute, computeUnitsPerDay: 60 } })
  const ask = (minute: number) => {
    const options = { plans: plan(minute), apiKeys: [{ key: 'k', plan: 'default' }], keyRequired: false }
    const units = createComputeUnits(options, createMemoryUsage(), () => 0)
    return () => units.admit('k', '127.0.0.1', 'large')
  }
  expect((await ask(1_000)()).headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '10' })
  const again = ask(50)
  expect((await again()).headers).toMatchObject({ 'ratelimit-limit': '50', 'ratelimit-remaining': '0' })
  expect(await again()).toMatchObject({ ok: false, status: 429, headers: { 'retry-after': '86400' } })
})

it('takes keys that are configured as their digests, and their digests as no keys', async () => {
  const digest = `sha256:${createHash('sha256').update(KEY).digest('hex')}`
  const { url } = await stage.serve({ data: { keyRequired: true, plans, apiKeys: [{ key: digest, plan: 'paid' }] } })
  const status = async (key: string) =>
    (await fetch(`${url}/v1/blocks`, { headers: { 'x-glacier-api-key': key } })).status
  expect([await status(KEY), await status(digest), await status('')]).toEqual([503, 401, 401])
  const argv = ['--data-api-keys', JSON.stringify([{ key: digest.slice(0, -1), plan: 'default' }])]
  expect(() => loadConfig({ argv, env: {}, cwd: tmpdir() })).toThrow(/sha256: and 64 hex digits/)
})

it('tells a key what is left of its budget also where its plan leaves the operation out, and charges nothing', async () => {
  const operations: DataOperation[] = ['live-check', 'listLatestTransactionsAllChains']
  const limited = { ...plans, paid: { ...plans.paid, operations } }
  const { url } = await stage.serve({ data: { plans: limited, apiKeys: [{ key: KEY, plan: 'paid' }] } })
  const ask = async (path: string) => {
    const { status, headers } = await fetch(url + path, { headers: { 'x-glacier-api-key': KEY } })
    return [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]
  }
  expect(await ask('/v1/transactions')).toEqual([503, '1000', '980'])
  expect(await ask('/v1/blocks')).toEqual([403, '1000', '980'])
  expect(await ask('/v1/transactions')).toEqual([503, '1000', '960'])
})

it('tells load balancers, which have no key, how it is also where keys are required', async () => {
  const { url } = await stage.serve({ data: { keyRequired: true, plans } })
  const status = async (path: string) => (await fetch(url + path)).status
  expect(await status('/v1/live-check')).toBe(200)
  expect(await status('/v1/health-check')).toBe(401)
  expect(await status('/v1/blocks')).toBe(401)
})

it('tells load balancers how it is also where a plan lists what may be called', async () => {
  const operations: DataOperation[] = ['listTokens']
  const listed = { default: { ...plans.default, operations } }
  const { url } = await stage.serve({ data: { plans: listed, apiKeys: [{ key: KEY, plan: 'default' }] } })
  const status = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status
  expect(await status('/v1/live-check')).toBe(200)
  expect(await status('/v1/live-check', { 'x-glacier-api-key': KEY })).toBe(403)
  expect(await status('/v1/live-check', { 'x-glacier-api-key': 'another' })).toBe(401)
  expect(await status('/v1/health-check')).toBe(401)
})

it('an operation that the default plan leaves out asks who has no key for one; addresses of one IPv6 network share', async () => {
  const limited = { default: { computeUnitsPerMinute: 30, computeUnitsPerDay: 1_000, operations: ['live-check'] } }
  const units = createComputeUnits({ plans: limited, apiKeys: [], keyRequired: false }, createMemoryUsage())
  expect(await units.admit(undefined, '192.0.2.7', 'medium', 'listTokens')).toEqual({
    ok: false,
    status: 401,
    headers: {},
  })
  const ask = async (address: string) => (await units.admit(undefined, address, 'medium', 'live-check')).ok
  expect(await ask('2001:db8:1:2:3:4:5:6')).toBe(true)
  expect(await ask('2001:db8:1:2::9')).toBe(false)
  expect(await ask('2001:db8:1:3::9')).toBe(true)
})

it('an operation costs what the hosted service takes for it', () => {
  const none = {} as never
  const primary = [
    ...utxoRoutes(none),
    ...balanceRoutes(none),
    ...lastActivityRoutes(none),
    ...primaryBlockRoutes(none),
  ]
  const evm = [...nftRoutes(none), ...evmLatestRoutes(none), ...addressChainRoutes(none)]
  const all = [...healthRoutes(none), ...primary, ...evm]
  expect(Object.fromEntries(all.map(({ operationId, weight }) => [operationId, WEIGHTS[weight]]))).toEqual({
    'data-health-check': 20,
    'live-check': 1,
    listAddressChains: 20,
    listLatestTransactionsAllChains: 20,
    listLatestBlocksAllChains: 20,
    reindexNft: 10,
    listTokens: 20,
    getTokenDetails: 20,
    getUtxosByAddresses: 100,
    getUtxosByAddressesV2: 100,
    getLastActivityTimestampByAddresses: 100,
    getLastActivityTimestampByAddressesV2: 100,
    getBalancesByAddresses: 100,
    getBlockById: 100,
    listPrimaryNetworkBlocksByNodeId: 20,
  })
})

it('of each decision the plan is told, what it took, and why it was refused', async () => {
  const told: object[] = []
  const options = { plans, apiKeys: [{ key: KEY, plan: 'paid' }], observe: (charge: object) => told.push(charge) }
  const open = createComputeUnits({ ...options, keyRequired: false }, createMemoryUsage())
  await open.admit(KEY, '10.0.0.1', 'medium')
  await open.admit(undefined, '10.0.0.1', 'large')
  await open.admit(undefined, '10.0.0.1', 'large')
  await createComputeUnits({ ...options, keyRequired: true }, createMemoryUsage()).admit('wrong', '10.0.0.1', 'small')
  const listed = {
    ...options,
    plans: { default: { ...plans.default, operations: ['listTokens'] } },
    keyRequired: false,
  }
  await createComputeUnits(listed, createMemoryUsage()).admit(undefined, '10.0.0.1', 'small', 'reindexNft')
  expect(told).toEqual([
    { plan: 'paid', units: 20 },
    { plan: 'default', units: 50 },
    { plan: 'default', units: 50, refused: 'over-budget' },
    { plan: 'none', units: 0, refused: 'no-key' },
    { plan: 'none', units: 0, refused: 'no-key' },
  ])
})

it('units of ever new callers are counted without a look at all others for each', async () => {
  let looks = 0
  const usage = createMemoryUsage(1_000, () => {
    looks += 1
    return 0
  })
  for (let caller = 0; caller < 3_000; caller += 1) await usage.add(`caller ${caller}`, 1, 1)
  expect(looks).toBeLessThan(30_000)
  expect(await usage.add('caller 2999', 1, 1)).toBe(2)
})
