import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createNodePools, type NodePoolsDeps } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { createWake } from '../../../../../src/api/node/forward/nodes/wake.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'
import { type Endpoint, endpointByName, type Source } from '../../../../../src/api/node/routes/endpoint.ts'
import { startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../../../support/upstream/upstream-pool.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { gorillaCall, OTHER_CHAIN, posted, startFront } from '../../fake-nodes.ts'
import { createForwarderAlone } from '../forwarder-alone.ts'

function startPools(options: Partial<NodePoolsDeps> & Pick<NodePoolsDeps, 'nodes'>) {
  const pools = createNodePools({ evm: {}, limits: TEST_LIMITS, deps: {}, ...options })
  onTestFinished(() => pools.close())
  return pools
}

const HOSTS = ['127.0.0.1:1', '127.0.0.1:2']
const nodes = HOSTS.map((host) => ({ url: `http://${host}` }))

it('who is preferred by its priority is so for writes, filters and WebSockets, too', async () => {
  const [standby, own] = nodes.map(({ url }, index) => ({ url, priority: 1 - index }))
  if (!standby || !own) throw new Error('no nodes')
  const pools = startPools({ nodes: [standby, own], evm: { C: [{ url: 'http://127.0.0.1:3', priority: -1 }] } })
  const order = (source: Source) =>
    pools
      .group(source)
      .members()
      .map(({ host }) => host)
  expect(order('P')).toEqual(['127.0.0.1:2', '127.0.0.1:1'])
  expect(order('C/rpc')).toEqual(['127.0.0.1:3', '127.0.0.1:2', '127.0.0.1:1'])
})

it('pools of what strangers ask for are closed when there are too many, those of the primary network never', async () => {
  const pools = startPools({ nodes })
  const own = (['P', 'C/rpc', 'X', 'C'] as const).map((source) => pools.group(source))
  for (let n = 0; n < 600; n += 1) pools.group({ blockchainId: OTHER_CHAIN, extension: `x${n}` })
  expect((['P', 'C/rpc', 'X', 'C'] as const).map((source) => pools.group(source))).toEqual(own)
  await expect.poll(() => pools.pools().length).toBeLessThanOrEqual(501)
  for (const { pool } of own) expect(pools.pools()).toContain(pool)
})

it('what strangers ask for takes no pool from who waits for an answer, nor that of a chain that is configured', async () => {
  const front = await startFront(1)
  const [node] = front.nodes
  if (!node) throw new Error('no node')
  let answer = () => {}
  node.answer = ({ method }) => {
    if (method !== 'eth_slow') return undefined
    return new Promise((resolve) => {
      answer = () => resolve(undefined)
    })
  }
  const configured = `${OTHER_CHAIN}2`
  const evm = { [configured]: [{ url: node.url }] }
  const pools = startPools({ nodes: front.nodes.map(({ url }) => ({ url })), evm })
  const own = pools.group({ blockchainId: configured, extension: 'rpc' })
  const used = pools.group({ blockchainId: OTHER_CHAIN, extension: 'rpc' })
  const slow = used.pool.rpc(used.path({ path: '' } as Endpoint), 'eth_slow', [], { batch: false })
  await expect.poll(() => node.asked.some(({ method }) => method === 'eth_slow')).toBe(true)
  for (const extension of ['x', 'rpc'])
    for (let n = 0; n < 600; n += 1) {
      const blockchainId = extension === 'rpc' ? `other${n}` : OTHER_CHAIN
      pools.group({ blockchainId, extension: extension === 'rpc' ? 'rpc' : `x${n}` })
    }
  await expect.poll(() => pools.pools().length).toBeLessThanOrEqual(501)
  expect(pools.pools()).toContain(own.pool)
  answer()
  expect(await slow).toBe('0x1')
  expect(pools.group({ blockchainId: OTHER_CHAIN, extension: 'rpc' })).toBe(used)
})

it('a chain that is in use keeps its pools, whatever strangers ask for, and so does one that somebody waits for', async () => {
  const held = gate()
  const server = await startFaultServer({ answer: () => '0x1', faults: { held: held.opened } })
  onTestFinished(() => server.close())
  const pools = startPools({ nodes: [{ url: server.url }] })
  const [used, awaited] = ['rpc', 'ws'].map((extension) => ({ blockchainId: OTHER_CHAIN, extension })) as [
    Source,
    Source,
  ]
  const groups = [used, awaited].map((source) => pools.group(source))
  const call = groups[1]?.pool.rpc('', 'eth_blockNumber', [])
  await expect.poll(() => groups[1]?.pool.status()[0]?.inFlight).toBe(1)
  for (let n = 0; n < 1_200; n += 1) {
    pools.group({ blockchainId: OTHER_CHAIN, extension: `x${n}` })
    expect(pools.group(used)).toBe(groups[0])
  }
  held.open()
  expect(await call).toBe('0x1')
  expect(pools.group(awaited)).toBe(groups[1])
})

it('new upstreams of a chain leave the pools of the others as they are', () => {
  const pools = startPools({ nodes, evm: {} })
  const chains = [OTHER_CHAIN, `${OTHER_CHAIN}2`].map((blockchainId) => ({ blockchainId, extension: 'rpc' }))
  const [changed, other] = chains.map((source) => pools.group(source))
  const primary = pools.group('C/rpc')
  pools.forget(OTHER_CHAIN)
  expect(pools.group(chains[0] as never)).not.toBe(changed)
  expect(pools.group(chains[1] as never)).toBe(other)
  expect(pools.group('C/rpc')).toBe(primary)
})

it('who waits for an answer of a chain whose upstreams change gets it; the old pools are closed then', async () => {
  const held = gate()
  const server = await startFaultServer({ answer: () => '0x1', faults: { held: held.opened } })
  onTestFinished(() => server.close())
  const pools = startPools({ nodes: [{ url: server.url }] })
  const { pool } = pools.group({ blockchainId: OTHER_CHAIN, extension: 'rpc' })
  const call = pool.rpc('', 'eth_blockNumber', [])
  await expect.poll(() => pool.status()[0]?.inFlight).toBe(1)
  pools.forget(OTHER_CHAIN)
  held.open()
  expect(await call).toBe('0x1')
  await expect.poll(() => pools.pools()).not.toContain(pool)
})

it('so does who waits for the end of a pause, when nothing is under way', async () => {
  const server = await startFaultServer({ answer: () => '0x1', faults: { rateLimited: { retryAfterSeconds: 1 } } })
  onTestFinished(() => server.close())
  const pools = startPools({ nodes: [{ url: server.url }] })
  const { pool } = pools.group({ blockchainId: OTHER_CHAIN, extension: 'rpc' })
  const call = pool.rpc('', 'eth_call', [])
  await expect.poll(() => pool.status()[0]).toMatchObject({ pausedUntil: expect.any(Number), inFlight: 0 })
  server.set({})
  pools.forget(OTHER_CHAIN)
  expect(await call).toBe('0x1')
  await expect.poll(() => pools.pools()).not.toContain(pool)
})

it('the node of the identity is the one that is named, else the first', () => {
  expect(startPools({ nodes }).identity.host).toBe(HOSTS[0])
  expect(startPools({ nodes, identity: '127.0.0.1:2' }).identity.host).toBe(HOSTS[1])
})

/** Two nodes, the slower of which is ahead, and how many heights they have told when each question comes. */
async function startUneven() {
  const front = await startFront(2)
  const nodes = front.nodes.map(({ url }) => ({ url }))
  const told = { heights: 0, atQuestion: [] as number[] }
  for (const [index, node] of front.nodes.entries())
    node.answer = async ({ method, body }) => {
      if (method === 'avax.x') told.atQuestion.push(told.heights)
      if (method !== 'eth_blockNumber') return undefined
      if (index === 1) await new Promise((resolve) => setTimeout(resolve, 100))
      told.heights += 1
      const id = /"id":(\d+)/.exec(body.toString())?.[1]
      return { body: `{"jsonrpc":"2.0","id":${id},"result":"${index === 0 ? '0x5' : '0x500'}"}\n` }
    }
  return { nodes, told }
}

it('the heights of all nodes are known before the first question', async () => {
  const { nodes, told } = await startUneven()
  const cache = { bytes: 1_000_000, entries: 100 }
  const forwarder = createForwarderAlone({
    pools: startPools({ nodes }),
    cache,
  })
  const { body } = await forwarder.forward({
    endpoint: endpointByName('C/avax') as Endpoint,
    rule: ruleOf('avax.x'),
    method: 'avax.x',
    params: undefined,
    id: Buffer.from('1'),
    http: posted(gorillaCall('avax.x')),
    signal: new AbortController().signal,
  })
  expect(body.toString()).toContain('NodeID-1')
  expect(told.atQuestion[0]).toBeGreaterThanOrEqual(2)
})

it('heights are asked for again after a while without a question', async () => {
  const { nodes, told } = await startUneven()
  // A clock of its own instead of an idle minute.
  let time = 0
  const wake = createWake(() => time)
  const group = startPools({ nodes }).group('C')
  await wake(group, 'C')
  for (const passed of [0, 15_000]) {
    time += passed
    expect(wake(group, 'C')).toBeUndefined()
  }
  time += 25_000
  told.heights = 0
  const again = wake(group, 'C')
  expect(again).toBeInstanceOf(Promise)
  // Whoever comes meanwhile waits for the same.
  expect(wake(group, 'C')).toBe(again)
  await again
  expect(told.heights).toBeGreaterThanOrEqual(2)
  expect(wake(group, 'C')).toBeUndefined()
  // One node alone is asked whatever its height.
  expect(wake(startPools({ nodes: nodes.slice(0, 1) }).group('C'), 'C')).toBeUndefined()
})

it('an extension is a path as it stands, whatever it means to a replacement', async () => {
  const server = await startFaultServer({ handle: ({ url }) => ({ body: String(url) }) })
  onTestFinished(() => server.close())
  const pools = startPools({ nodes: [], evm: { [OTHER_CHAIN]: [{ url: `${server.url}/ext/bc/${OTHER_CHAIN}/rpc` }] } })
  const { pool, path } = pools.group({ blockchainId: OTHER_CHAIN, extension: '$&' })
  const { body } = await pool.exchange({ method: 'GET', path: path({ path: '' } as Endpoint) })
  expect(body.toString()).toBe(`/ext/bc/${OTHER_CHAIN}/$&`)
})

it('a key in the query of a URL stays one: paths of chains stand before it', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    request.resume().on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`
  const evm = { [OTHER_CHAIN]: [{ url: `${url}/ext/bc/${OTHER_CHAIN}/rpc?key=/ext/bc/x/rpc` }] }
  const pools = startPools({ nodes: [{ url: `${url}/?key=a/` }], evm })
  const chain = `${OTHER_CHAIN}2`
  const sources: Source[] = [
    'C/rpc',
    { blockchainId: chain, extension: 'rpc' },
    { blockchainId: OTHER_CHAIN, extension: 'orders' },
  ]
  for (const source of sources)
    for (const { pool } of pools.group(source).members()) await pool.rpc('', 'a_method', [], { batch: false })
  expect(asked).toEqual([
    '/base/ext/bc/C/rpc?key=a/',
    `/base/ext/bc/${chain}/rpc?key=a/`,
    `/base/ext/bc/${OTHER_CHAIN}/orders?key=/ext/bc/x/rpc`,
    `/base/ext/bc/${OTHER_CHAIN}/orders?key=a/`,
  ])
})
