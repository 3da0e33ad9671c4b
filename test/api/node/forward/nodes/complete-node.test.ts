import { expect, it } from 'vitest'
import type { ChainTip } from '../../../../../src/api/node/evm/read/chain-tip.ts'
import { createEvmReads } from '../../../../../src/api/node/evm/read/reads.ts'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { type CompleteNode, createCompleteNode } from '../../../../../src/api/node/forward/nodes/complete-node.ts'
import type { NodePools } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import type { Endpoint } from '../../../../../src/api/node/routes/endpoint.ts'
import { type FakeNode, gorillaCall, nodeAt, startFront, told } from '../../fake-nodes.ts'
import { createForwarderAlone } from '../forwarder-alone.ts'

const signal = new AbortController().signal
/** Of a client, which no probe uses. */
const ID = '777'
/** What a node has of a chain that another is ahead on, in looks at it until it has caught up. */
const LOOKS = 3

it.each([
  ['/ext/bc/X', 'avm.getUTXOs', '{"utxos":["all"]}'],
  ['/ext/bc/C/rpc', 'eth_getBalance', '"0xa11"'],
])(
  'where one node is ahead on P and another on X, it is waited for one that has all: %s',
  async (path, method, all) => {
    const front = await startFront(2)
    const [aheadOnP, aheadOnX] = [nodeAt(front, 0), nodeAt(front, 1)]
    let looks = 0
    const heightOf = (node: FakeNode, ahead: FakeNode) => (node === ahead ? '101' : '100')
    for (const node of front.nodes)
      node.answer = (call) => {
        const isClients = call.body.includes(ID)
        if (call.method === 'avm.getHeight' || call.method === 'platform.getHeight') {
          const ahead = call.method === 'avm.getHeight' ? aheadOnX : aheadOnP
          if (isClients && node !== ahead) return 'cut'
          const isCatchingUp = node === aheadOnX && call.method === 'platform.getHeight' && !isClients
          if (isCatchingUp && isTold && ++looks > LOOKS) return told(call, { height: '101' })
          return told(call, { height: heightOf(node, ahead) })
        }
        if (call.method !== method) return undefined
        return {
          body: `{"jsonrpc":"2.0","id":${ID},"result":${node === aheadOnX && looks > LOOKS ? all : '"part"'}}\n`,
        }
      }
    let isTold = false
    expect((await front.post('/ext/bc/P', gorillaCall('platform.getHeight', '{}', ID))).text).toContain('"101"')
    expect((await front.post('/ext/bc/X', gorillaCall('avm.getHeight', '{}', ID))).text).toContain('"101"')
    isTold = true
    const params = path.endsWith('/rpc')
      ? '["0x00000000000000000000000000000000000000aa","latest"]'
      : '{"addresses":["x"]}'
    expect((await front.post(path, gorillaCall(method, params, ID))).text).toContain(all)
  },
)

/** Both nodes of a group that tells which of them are avoided. */
function startPair(bodyAt: (path: string) => { host: string; result: string }) {
  const seen: { avoid?: (host: string) => boolean } = {}
  const pool = {
    head: () => undefined,
    status: () => ['one', 'two'].map((host) => ({ host, healthy: true })),
    async exchange({ path }: { path: string }, { avoid }: typeof seen) {
      if (avoid) seen.avoid = avoid
      const { host, result } = bodyAt(path)
      return { host, status: 200, headers: {}, body: Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`) }
    },
    rpc: async () => ({ height: '100' }),
  }
  const path = (endpoint: { path: string }) => endpoint.path
  const hosts = ['one', 'two']
  const group = { pool, path, hosts, members: () => hosts.map((host) => ({ host, pool, path })) }
  return { seen, pools: { group: () => group, onReset: () => undefined } as unknown as NodePools }
}

it.each([
  ['/ext/bc/P', 'two'],
  ['/ext/bc/X', 'one'],
])('where no node has all in time, one that has all of the chain itself is asked: %s', async (path, avoided) => {
  const { seen, pools } = startPair((asked) => ({
    host: asked === '/ext/bc/P' ? 'one' : 'two',
    result: '{"height":"101"}',
  }))
  const forwarder = createForwarderAlone({
    pools,
  })
  const ask = (at: string, rule: object) => {
    const endpoint = { path: at, dialect: 'gorilla', name: at, source: { blockchainId: at } }
    const http = { method: 'POST', contentType: 'application/json', query: '', body: Buffer.from('{}') }
    return forwarder.forward({ endpoint, rule, http, method: 'own', signal } as unknown as ForwardCall)
  }
  await ask('/ext/bc/P', { target: 'any', shows: 'height' })
  await ask('/ext/bc/X', { target: 'any', shows: 'height' })
  await ask(path, { target: 'any' })
  expect(['one', 'two'].filter((host) => seen.avoid?.(host))).toEqual([avoided])
})

it('where no node has all in time, the state of an EVM is asked of one that has its newest block', async () => {
  const { seen, pools } = startPair(() => ({ host: 'two', result: '"0x1"' }))
  const reads = createEvmReads({
    pools,
    kept: {} as never,
    tipOf: () => ({ ready: () => undefined, mayLackNewest: (host: string) => host === 'one' }) as unknown as ChainTip,
    lacks: () => true,
  })
  const endpoint = { path: '/ext/bc/C/rpc', source: 'C/rpc' } as unknown as Endpoint
  const call = {
    endpoint,
    body: Buffer.from('{}'),
    contentType: 'application/json',
    signal,
    deadline: Date.now() + 1_000,
  }
  await reads.ask(call, () => ({
    kind: 'answer',
  }))
  expect(['one', 'two'].filter((host) => seen.avoid?.(host))).toEqual(['one'])
})

const groupOf = (hosts: string[], healthy = hosts) =>
  ({
    hosts,
    pool: { status: () => hosts.map((host) => ({ host, healthy: healthy.includes(host) })) },
  }) as unknown as Parameters<CompleteNode>[1]

it('nodes that have lacked something for two seconds lag and are not waited for, until they had all', () => {
  let time = 0
  let lacking = true
  const complete = createCompleteNode(() => time)
  const look = () => complete('', groupOf(['one', 'two']), (host) => host === 'one' || lacking, signal)
  expect(look()).toBeInstanceOf(Promise)
  time = 1_999
  expect(look()).toBeInstanceOf(Promise)
  time = 2_000
  expect(look()).toBe(false)
  lacking = false
  expect(look()).toBe(true)
  lacking = true
  expect(look()).toBeInstanceOf(Promise)
  // Asked all the time, it lags; where nobody has asked for a while, it may have had all in between.
  for (let count = 0; count < 5; count += 1) {
    time += 3_000
    expect(look()).toBe(false)
  }
  time += 10_001
  expect(look()).toBeInstanceOf(Promise)
})

it('nobody waits for a node alone, where a healthy one has all, or for one that is down', () => {
  const complete = createCompleteNode(() => 0)
  const look = (hosts: string[], healthy: string[], lacks: string[]) =>
    complete('', groupOf(hosts, healthy), (host) => lacks.includes(host), signal)
  expect(look(['one'], ['one'], ['one'])).toBe(true)
  expect(look(['one', 'two'], ['one', 'two'], ['one'])).toBe(true)
  expect(look(['one', 'two'], ['two'], ['one'])).toBe(true)
  expect(look(['one', 'two'], [], ['one', 'two'])).toBe(false)
  // Whoever has all is down: it is waited for the other one.
  expect(look(['one', 'two'], ['two'], ['two'])).toBeInstanceOf(Promise)
})
