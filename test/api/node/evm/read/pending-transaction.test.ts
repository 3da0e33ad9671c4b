import { expect, it } from 'vitest'
import { startNodesAt } from '../stage.ts'

// A transaction that is in no block yet is at first known to the node alone that took it.

const HASH = `0x${'ab'.repeat(32)}`
const PENDING = { hash: HASH, blockHash: null, blockNumber: null }

/** The node of height 101 knows it. */
const start = (holder: number | undefined) =>
  startNodesAt(
    [0, 1, 2, 3].map((index) => (index === holder ? 101 : 100)),
    (node, { method }) => {
      if (method === 'eth_blockNumber') return '0x64'
      if (method === 'eth_getTransactionByHash') return node.height === 101 ? PENDING : null
      if (method === 'eth_getRawTransactionByHash') return node.height === 101 ? '0x02' : '0x'
      return null
    },
  )

it.each([0, 1, 2, 3])('is told whoever of four nodes has it (%i)', async (holder) => {
  const { stage } = await start(holder)
  for (let round = 0; round < 3; round += 1) {
    expect(await stage.call('eth_getTransactionByHash', [HASH])).toEqual(PENDING)
    expect(await stage.call('eth_getRawTransactionByHash', [HASH])).toBe('0x02')
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_getTransactionByHash', params: [HASH] })
    expect(JSON.parse((await stage.post([call(1)])).text)).toEqual([{ jsonrpc: '2.0', id: 1, result: PENDING }])
  }
})

it.each([
  [0, false],
  [1, false],
  [0, true],
  [1, true],
])('is not told of a node (%i) that lacks the block which was shown with it (batch: %s)', async (late, asBatch) => {
  const block = `0x${'cd'.repeat(32)}`
  const mined = { hash: HASH, blockHash: block, blockNumber: '0x65' }
  const heights = [0, 1].map((index) => (index === late ? 100 : 101))
  const { stage } = await startNodesAt(heights, (node, { method }) => {
    if (method === 'eth_blockNumber') return `0x${node.height.toString(16)}`
    if (method === 'eth_getTransactionReceipt') return node.height === 101 ? { blockNumber: '0x65' } : null
    return node.height === 101 ? mined : PENDING
  })
  expect(await stage.call('eth_getTransactionReceipt', [HASH])).toEqual({ blockNumber: '0x65' })
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionByHash', params: [HASH] }
  expect(asBatch ? JSON.parse((await stage.post([call])).text) : [await stage.call(call.method, call.params)]).toEqual(
    asBatch ? [{ jsonrpc: '2.0', id: 1, result: mined }] : [mined],
  )
})

it('what nobody has is null, and a receipt is asked of two alone', async () => {
  const { stage, nodes } = await start(undefined)
  expect(await stage.call('eth_getTransactionByHash', [HASH])).toBeNull()
  const asked = (method: string) =>
    nodes.flatMap(({ server }) => server.stats.seen.filter((call) => call.method === method)).length
  expect(asked('eth_getTransactionByHash')).toBe(4)
  expect(await stage.call('eth_getTransactionReceipt', [HASH])).toBeNull()
  expect(asked('eth_getTransactionReceipt')).toBe(2)
})
