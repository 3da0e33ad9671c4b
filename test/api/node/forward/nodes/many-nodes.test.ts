import { expect, it } from 'vitest'
import {
  type Asked,
  evmCall,
  type Front,
  gorillaCall,
  nodeAt,
  OTHER_CHAIN,
  type Reply,
  startFront,
} from '../../fake-nodes.ts'

const RPC = `/ext/bc/${OTHER_CHAIN}/rpc`
const NOT_HERE: Reply = { status: 404, body: '404 page not found\n' }
const isL1 = ({ path }: Asked): boolean => path.includes(OTHER_CHAIN)

/** Nodes of which the last alone runs the L1. */
async function startWithL1(count: number, over: Parameters<typeof startFront>[1] = {}): Promise<Front> {
  const front = await startFront(count, over)
  for (const node of front.nodes.slice(0, -1)) node.answer = (call) => (isL1(call) ? NOT_HERE : undefined)
  return front
}
const askedOf = (front: Front): number[] => front.nodes.map(({ asked }) => asked.filter(isL1).length)
const forget = (front: Front): void => {
  for (const node of front.nodes) node.asked.length = 0
}

it('an L1 that only the last of many nodes runs is answered, from then on without asking the others', async () => {
  const front = await startWithL1(7)
  const first = await front.post(RPC, evmCall('eth_call', '[{},"0x1"]'))
  expect([first.status, JSON.parse(first.text)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: '0x1' }])
  forget(front)
  for (let turn = 2; turn < 12; turn += 1) {
    const { status } = await front.post(RPC, evmCall('eth_call', `[{},"0x${turn}"]`))
    expect(status).toBe(200)
  }
  expect(askedOf(front)).toEqual([0, 0, 0, 0, 0, 0, 10])
})

it.each(['one', 'all'] as const)(
  'a transaction reaches the only one of many nodes that runs the L1: %s',
  async (policy) => {
    const front = await startWithL1(7, { node: { writePolicy: policy } } as never)
    const raw = `0x02${'ab'.repeat(110)}`
    const { status, text } = await front.post(RPC, evmCall('eth_sendRawTransaction', `["${raw}"]`))
    expect([status, JSON.parse(text)]).toMatchObject([200, { result: '0x1' }])
    expect(askedOf(front).at(-1)).toBe(1)
  },
)

it('signatures are aggregated by the node that runs the L1', async () => {
  const front = await startWithL1(3)
  for (let turn = 0; turn < 3; turn += 1) {
    const { status, text } = await front.post(RPC, evmCall('warp_getMessageAggregateSignature', `["0x${turn}",67,""]`))
    expect([status, JSON.parse(text)]).toMatchObject([200, { result: '0x1' }])
  }
})

it('while the only node that runs an L1 is away, reads and writes are errors and not "no such chain"', async () => {
  const front = await startWithL1(3)
  expect((await front.post(RPC, evmCall('eth_call', '[{},"0x1"]'))).status).toBe(200)
  nodeAt(front, 2).answer = (call) => (isL1(call) ? 'cut' : undefined)
  for (let turn = 2; turn < 9; turn += 1) {
    const { status } = await front.post(RPC, evmCall('eth_call', `[{},"0x${turn}"]`))
    expect(status).toBeGreaterThanOrEqual(502)
  }
  const written = await front.post(RPC, evmCall('eth_sendRawTransaction', `["0x02${'cd'.repeat(110)}"]`))
  expect(written.status).toBeGreaterThanOrEqual(502)
  // It may have been started anew, and not know the chain yet.
  for (const node of front.nodes) node.answer = (call) => (isL1(call) ? NOT_HERE : undefined)
  expect((await front.post(RPC, evmCall('eth_call', '[{},"0xa"]'))).status).toBe(502)
})

it('what only the last of many nodes has is found', async () => {
  const front = await startFront(7)
  const lacking = (id: string): Reply => ({
    body: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"couldn't get tx: not found","data":null},"id":${id}}\n`,
  })
  for (const node of front.nodes.slice(0, -1))
    node.answer = (call) => (call.method === 'platform.getTx' ? lacking('1') : undefined)
  const { text } = await front.post('/ext/bc/P', gorillaCall('platform.getTx', '{"txID":"x"}'))
  expect(JSON.parse(text)).toHaveProperty('result')
})

it('a node that lacks what is asked for is asked once, however often another fails', async () => {
  const front = await startFront(3)
  for (const node of front.nodes.slice(0, -1))
    node.answer = (call) =>
      call.method === 'platform.getTx'
        ? {
            body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"couldn\'t get tx: not found","data":null},"id":1}\n',
          }
        : undefined
  nodeAt(front, 2).answer = (call) => (call.method === 'platform.getTx' ? { status: 500, body: 'no' } : undefined)
  const { text } = await front.post('/ext/bc/P', gorillaCall('platform.getTx', '{"txID":"x"}'))
  expect(JSON.parse(text)).toMatchObject({ error: { message: "couldn't get tx: not found" } })
  expect(front.nodes.map(({ asked }) => asked.length)).toEqual([1, 1, 4])
})

it.each(['one', 'all'] as const)('a transaction reaches it also when another one is cut off: %s', async (policy) => {
  const front = await startWithL1(7, { node: { writePolicy: policy } } as never)
  nodeAt(front, 0).answer = (call) => (isL1(call) ? 'cut' : undefined)
  const { status, text } = await front.post(RPC, evmCall('eth_sendRawTransaction', `["0x02${'ef'.repeat(110)}"]`))
  expect([status, JSON.parse(text)]).toMatchObject([200, { result: '0x1' }])
  // Nor is what others say, who do not run it, the last word.
  for (const node of front.nodes.slice(1)) node.answer = (call) => (isL1(call) ? NOT_HERE : undefined)
  nodeAt(front, 0).answer = (call) => (isL1(call) ? { status: 502, body: '<html>' } : undefined)
  const failed = await front.post(RPC, evmCall('eth_sendRawTransaction', `["0x02${'fe'.repeat(110)}"]`))
  expect(failed.status).toBeGreaterThanOrEqual(502)
})

it.each(['one', 'all'] as const)(
  'while the only node that runs an L1 is asked too often, nobody is told that there is no such chain: %s',
  async (policy) => {
    const front = await startWithL1(3, { node: { writePolicy: policy } } as never)
    nodeAt(front, 2).answer = (call) =>
      isL1(call) ? { status: 429, headers: { 'retry-after': '60' }, body: 'slow down' } : undefined
    for (let turn = 0; turn < 2; turn += 1)
      for (const call of [
        evmCall('eth_sendRawTransaction', `["0x0${turn}${'ab'.repeat(110)}"]`),
        evmCall('warp_getMessageAggregateSignature', `["0x${turn}",67,""]`),
      ]) {
        const { status, headers } = await front.post(RPC, call)
        expect([status, headers.has('retry-after')]).toEqual([503, true])
      }
  },
)

const INDEX = '/ext/index/P/block'
const AWAY: readonly [what: string, Reply, expected: number][] = [
  ['is cut off', 'cut', 502],
  ['stands behind a proxy that cannot reach it', { status: 502, body: '<html>' }, 502],
  ['is asked too often', { status: 429, headers: { 'retry-after': '60' }, body: 'slow down' }, 503],
  // Nothing says that it would know more.
  ['does not let this server in', { status: 401, body: 'key?' }, 404],
]

it.each(AWAY)('a node that %s from the start may be the one that serves it', async (_what, reply, expected) => {
  for (const [path, body] of [
    [RPC, evmCall('eth_call', '[{},"0x1"]')],
    [INDEX, gorillaCall('index.getLastAccepted', '{"encoding":"hex"}')],
  ] as const) {
    const front = await startFront(3)
    for (const node of front.nodes) node.answer = (call) => (call.path === path ? NOT_HERE : undefined)
    nodeAt(front, 1).answer = (call) => (call.path === path ? reply : undefined)
    expect((await front.post(path, body)).status).toBe(expected)
  }
})

it.each([
  'admin%23',
  'admin%23x',
  'admin%3Fx',
  'admin%20',
  'admin%09',
  '%2561dmin',
  'x%5C..%5Cadmin',
  'x%5C..%5C..%5C..%5Cadmin',
  'rpc%25',
  'rpc%23x',
])('what is escaped in the path of an L1 stays so, and is no other path at its node: %s', async (extension) => {
  const front = await startFront(1)
  await front.post(`/ext/bc/${OTHER_CHAIN}/${extension}`, gorillaCall('admin.startCPUProfiler'))
  const asked = nodeAt(front, 0).asked.filter(isL1)
  expect(asked.map(({ path }) => path)).toEqual([`/ext/bc/${OTHER_CHAIN}/${extension}`])
})
