import { expect, it, onTestFinished } from 'vitest'
import { createUpstreamPool } from '../../src/upstream/index.ts'
import type { FaultServer } from '../support/upstream/fault-server.ts'
import { heightProbe, startTestPool, TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { gate } from '../support/waiting/gate.ts'
import { until } from '../support/waiting/until.ts'

const post = {
  method: 'POST',
  path: '/',
  headers: {},
  body: '{"jsonrpc":"2.0","id":1,"method":"m","params":[]}',
} as const

const ANY = expect.anything()

async function start(limits = {}) {
  const { pool, servers } = await startTestPool([{ answer: () => 'first' }, { answer: () => 'second' }], { limits })
  const hosts = servers.map(({ url }) => new URL(url).host)
  const ask = async (avoid: (host: string) => boolean) =>
    JSON.parse((await pool.exchange(post, { avoid })).body.toString())
  return { servers, hosts, ask }
}

it('a server that is to be avoided is asked only where there is no other', async () => {
  const { servers, hosts, ask } = await start()
  const [first] = hosts
  expect(await ask(() => false)).toMatchObject({ result: 'first' })
  expect(await ask((host) => host === first)).toMatchObject({ result: 'second' })
  // Which of them comes first depends on how soon they answered before.
  expect(['first', 'second']).toContain((await ask(() => true)).result)
  await servers[1]?.close()
  expect(await ask((host) => host === first)).toMatchObject({ result: 'first' })
})

it('in place of a server that is to be avoided, one that lags is asked rather', async () => {
  const named = (name: string, lag: number) => ({
    answer: ({ method }: { method: string }) => (method === 'eth_blockNumber' ? undefined : name),
    faults: { lag },
  })
  const { pool, servers } = await startTestPool([named('first', 0), named('second', 10)], {
    deps: { headProbe: heightProbe(20) },
  })
  await pool.rpc('', 'warm', [])
  await until(() => pool.status()[1]?.lagBlocks === 10, 'the lag is known')
  const { body } = await pool.exchange(post, { avoid: (host) => host === servers[0]?.host })
  expect(body.toString()).toContain('second')
})

it('a server that is to be avoided is not asked besides a slow one either', async () => {
  const answers = [{ answer: () => 'first' }, { answer: () => 'second' }]
  const { pool, servers } = await startTestPool(answers, { limits: { hedgeMinMs: 10 } })
  const [first, second] = servers as [FaultServer, FaultServer]
  const read = async (avoid: (host: string) => boolean) => (await pool.exchange(post, { avoid })).host
  expect(await read((host) => host === second.host)).toBe(first.host)
  second.set({ latencyMs: 300 })
  expect(await read((host) => host === first.host)).toBe(second.host)
  expect(first.stats.seen.length).toBe(1)
})

it('a call that avoids a server does not wait for what that one is being asked', async () => {
  const held = gate()
  const answers = [{ answer: () => 'first', faults: { held: held.opened } }, { answer: () => 'second' }]
  const { pool, servers } = await startTestPool(answers, { limits: { hedgeMinMs: 0 } })
  const [first] = servers as [FaultServer, FaultServer]
  const avoid = (host: string) => host === first.host
  const slow = [pool.rpc('', 'm', []), pool.getJson('/x')]
  await until(() => first.stats.requests === 2, 'the first is asked')
  const others = [pool.rpc('', 'm', [], { avoid }), pool.getJson('/x', { avoid })]
  held.open()
  expect(await Promise.all([...slow, ...others])).toEqual(['first', ANY, 'second', ANY])
  expect(first.stats.requests).toBe(2)
})

it('two servers at one host have names of their own, by which either is avoided', async () => {
  const { servers } = await startTestPool([{}])
  const { url, host } = servers[0] as FaultServer
  const specs = [{ url: `${url}/KEY1` }, { url: `${url}/KEY2` }]
  const pool = createUpstreamPool('gateway', specs, TEST_LIMITS)
  onTestFinished(() => pool.close())
  const names = [host, `${host}#2`]
  expect(pool.status().map((upstream) => upstream.host)).toEqual(names)
  for (const name of names)
    expect(await pool.exchange(post, { avoid: (other) => other !== name })).toMatchObject({ host: name })
})
