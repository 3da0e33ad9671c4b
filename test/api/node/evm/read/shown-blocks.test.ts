import { expect, it } from 'vitest'
import type { SeenCall } from '../../../../support/upstream/fault-server.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type HighNode, startNodesAt } from '../stage.ts'

// Whatever shows a client a block, no later answer is about an older chain, and nothing of that block is missing.

const hex = (height: number): string => `0x${height.toString(16)}`
const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const block = (height: number) => ({ number: hex(height), hash: hashOf(height) })
const log = (height: number) => ({ address: '0x1', blockNumber: hex(height), blockHash: hashOf(height) })
const range = (from: number, to: number) => ({ fromBlock: hex(from), toBlock: hex(to) })

/** A node that has everything up to its height, one log a block, and leaves out the rest without an error. */
function answer(node: HighNode, { method, params }: Pick<SeenCall, 'method' | 'params'>): unknown {
  const [first] = params as [string]
  const upTo = <T>(height: number, value: T): T | null => (height <= node.height ? value : null)
  switch (method) {
    case 'eth_blockNumber':
    case 'eth_getBalance':
      return hex(node.height)
    case 'eth_getBlockByHash':
    case 'eth_getBlockByNumber':
      return first === 'latest' ? block(node.height) : upTo(Number(first), block(Number(first)))
    case 'eth_getTransactionReceipt':
      return upTo(Number(first), { blockNumber: hex(Number(first)), blockHash: hashOf(Number(first)) })
    case 'eth_newBlockFilter':
    case 'eth_newFilter':
      return `0x${method.length}`
    case 'eth_getFilterChanges':
      return first === `0x${'eth_newFilter'.length}` ? [log(node.height)] : [hashOf(node.height)]
    case 'eth_getFilterLogs':
      return [log(node.height)]
    case 'eth_getLogs': {
      const { fromBlock, toBlock } = first as unknown as { fromBlock: string; toBlock?: string }
      const end = Math.min(Number(toBlock ?? node.height), node.height)
      return Array.from({ length: end - Number(fromBlock) + 1 }, (_, at) => log(Number(fromBlock) + at))
    }
    default:
      return undefined
  }
}

const start = async (...heights: [number, number, ...number[]]) => {
  const { stage, nodes } = await startNodesAt(heights, answer, { tipCacheMs: 60_000 })
  // Whom nobody has asked is not known to be at any height.
  await stage.call('eth_blockNumber')
  const [first, second, third] = nodes as [HighNode, HighNode, HighNode]
  return { stage, first, second, third }
}
const request = (id: number, method: string, params: unknown[]) => ({ jsonrpc: '2.0', id, method, params })

it.each([
  ['a block by its hash', 'eth_getBlockByHash', [hashOf(105), false]],
  ['logs up to the newest block', 'eth_getLogs', [{ fromBlock: hex(105) }]],
  ['logs of a range', 'eth_getLogs', [range(105, 105)]],
  ['a receipt', 'eth_getTransactionReceipt', [hashOf(105)]],
])('%s shows the height of its block', async (_what, method, params) => {
  const { stage, first, second } = await start(100, 100)
  first.server.set({ status: 503 })
  second.height = 105
  expect(JSON.stringify(await stage.call(method, params))).toContain(hex(105))
  first.server.set()
  second.server.set({ status: 503 })
  expect(await stage.call('eth_blockNumber')).toBe(hex(105))
})

it.each(['eth_newFilter', 'eth_newBlockFilter'])(
  'so do the changes of %s, where hashes name no height',
  async (made) => {
    const { stage, first } = await start(100, 100)
    const filter = await stage.call(made, [{}])
    first.height = 105
    expect(await stage.call<unknown[]>('eth_getFilterChanges', [filter])).toHaveLength(1)
    first.server.set({ status: 503 })
    expect(await stage.call('eth_blockNumber')).toBe(hex(105))
  },
)

it('the logs of a filter are waited for until its node has the block that was shown', async () => {
  const { stage, first, second } = await start(100, 100)
  const filter = await stage.call('eth_newFilter', [{}])
  first.server.set({ status: 503 })
  second.height = 101
  expect(await stage.call('eth_blockNumber')).toBe(hex(101))
  first.server.set()
  await expect(stage.call('eth_getFilterLogs', [filter])).rejects.toThrow('no node answered')
  first.height = 101
  expect(await stage.call('eth_getFilterLogs', [filter])).toEqual([log(101)])
})

it.each([
  ['a receipt', 'eth_getTransactionReceipt', [hashOf(101)]],
  ['a block by its hash', 'eth_getBlockByHash', [hashOf(101), false]],
  ['a block by its number', 'eth_getBlockByNumber', [hex(101), false]],
])(
  '%s of a block that was shown is not missing because the node that showed it is gone',
  async (_what, method, params) => {
    const { stage, first, second } = await start(100, 101)
    second.server.set({ status: 503 })
    await expect(stage.call(method, params)).rejects.toThrow('no node answered')
    const batch = [request(1, method, params), request(2, 'eth_getBlockByNumber', [hex(99), false])]
    const told = JSON.parse((await stage.post(batch)).text)
    expect(told).toMatchObject([
      { id: 1, error: { code: -32_603 } },
      { id: 2, result: block(99) },
    ])
    // It is waited for who is about to have it.
    first.height = 101
    expect(JSON.stringify(await stage.call(method, params))).toContain(hex(101))
    expect(JSON.parse((await stage.post(batch)).text)[0].result).not.toBeNull()
  },
)

it('what is nowhere is missing once somebody has the newest block', async () => {
  const { stage, first, second } = await start(100, 101)
  second.server.set({ status: 503 })
  await expect(stage.call('eth_getTransactionReceipt', [hashOf(500)])).rejects.toThrow('no node answered')
  first.height = 101
  expect(await stage.call('eth_getTransactionReceipt', [hashOf(500)])).toBeNull()
  // Nobody was shown a block of this number.
  expect(await stage.call('eth_getBlockByNumber', [hex(500), false])).toBeNull()
})

it.each([
  ['logs', 'eth_getLogs', [range(99, 101)], [log(99), log(100), log(101)]],
  ['a receipt', 'eth_getTransactionReceipt', [hashOf(101)], { blockNumber: hex(101), blockHash: hashOf(101) }],
])('%s from a node that reached the block while it answered', async (_what, method, params, whole) => {
  const { stage, first, second } = await start(100, 101)
  second.server.set({ status: 503 })
  const slow = gate()
  let before: unknown
  // What it answers is settled when it is asked, and sent later.
  first.server.set(({ body }) => {
    if (!body.includes(method) || before !== undefined) return {}
    before = answer(first, { method, params })
    return { held: slow.opened }
  })
  const late = first.height
  const asked = stage.call(method, params)
  await until(() => before !== undefined, 'the question')
  first.height = 101
  expect(await stage.call('eth_blockNumber')).toBe(hex(101))
  first.height = late
  slow.open()
  await until(() => first.server.stats.inFlight === 0, 'the early answer')
  first.height = 101
  expect(await asked).toEqual(whole)
})

it.each([false, true])(
  'the state of an older block, told where nobody has the newest one, is not kept (batch: %s)',
  async (asBatch) => {
    const { stage, second } = await start(100, 101)
    const balance = async (): Promise<unknown> => {
      if (!asBatch) return stage.call('eth_getBalance', ['0x1', 'latest'])
      const batch = [request(1, 'eth_getBalance', ['0x1', 'latest']), request(2, 'eth_chainId', [])]
      return JSON.parse((await stage.post(batch)).text)[0].result
    }
    second.server.set({ status: 503 })
    expect(await balance()).toBe(hex(100))
    second.server.set()
    expect(await balance()).toBe(hex(101))
  },
)

it.each([
  ['eth_getBalance', ['0x1', 'latest']],
  ['eth_getBlockByNumber', ['latest', false]],
])(
  '%s of now waits for a late node where nobody else answers, and is an older one only if that is in vain',
  async (method, params) => {
    const { stage, second } = await start(100, 101)
    second.server.set({ status: 503 })
    const batch = Array.from({ length: 70 }, (_, id) => request(id, method, [...params, id]))
    const told = JSON.parse((await stage.post(batch)).text) as { result: unknown }[]
    expect(told.map(({ result }) => JSON.stringify(result)).filter((text) => !text.includes(hex(100)))).toEqual([])
    expect(JSON.stringify(await stage.call(method, params))).toContain(hex(100))
  },
)

it('the state of now waits for a late node that is about to have the newest block', async () => {
  const { stage, first, second } = await start(100, 101)
  second.server.set({ status: 503 })
  const asked = [stage.call('eth_getBalance', ['0x1', 'latest']), stage.call('eth_getBalance', ['0x2', 'latest'])]
  const batch = stage.post([request(1, 'eth_getBalance', ['0x3', 'latest']), request(2, 'eth_chainId', [])])
  const looks = (): number => first.server.stats.seen.filter(({ method }) => method === 'eth_blockNumber').length
  await until(() => looks() > 5, 'questions for the height')
  first.height = 101
  expect(await Promise.all(asked)).toEqual([hex(101), hex(101)])
  expect(JSON.parse((await batch).text)[0]).toMatchObject({ result: hex(101) })
})

it('of the answers to a call of a batch that of the node with the newest block counts, whoever was asked last', async () => {
  const { stage, first, second, third } = await start(101, 90, 102)
  third.server.set({ status: 503 })
  const batch = [
    request(1, 'eth_getTransactionReceipt', [hashOf(500)]),
    request(2, 'eth_getBalance', ['0x1', 'latest']),
    request(3, 'eth_chainId', []),
  ]
  expect(JSON.parse((await stage.post(batch)).text)[1]).toEqual({ jsonrpc: '2.0', id: 2, result: hex(101) })
  expect([first, second].map(({ server }) => server.stats.batches)).toEqual([1, 1])
})
