import { expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { type HighNode, startNodesAt } from '../stage.ts'

// Who sends one transaction after the other takes the next nonce from the count behind those that are in no block yet. Only
// the node that took the one before is sure to know it.

const SENDER = `0x${'1'.repeat(40)}`
const ask = (id: number, block = 'pending') => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_getTransactionCount',
  params: [SENDER, block],
})

/** Counts are the heights of those who tell them. */
const start = (counts: readonly number[]) =>
  startNodesAt(counts, (node, { method, params }) => {
    if (method === 'eth_blockNumber') return '0x64'
    return (params as string[])[1] === 'pending' ? `0x${node.height.toString(16)}` : '0x5'
  })

it.each([[[5, 6, 5]], [[6, 5, 5]], [[5, 5, 6]]])(
  'the next nonce is behind every transaction that any node has taken: %s',
  async (counts) => {
    const { stage } = await start(counts)
    for (let round = 0; round < 4; round += 1) {
      expect(await stage.call('eth_getTransactionCount', [SENDER, 'pending'])).toBe('0x6')
      const { text } = await stage.post([ask(1), ask(2, 'latest')])
      expect(JSON.parse(text)).toEqual([
        { jsonrpc: '2.0', id: 1, result: '0x6' },
        { jsonrpc: '2.0', id: 2, result: '0x5' },
      ])
    }
  },
)

it('one that takes long, or fails, is not waited for', async () => {
  const { stage, nodes } = await start([6, 5, 5])
  const [, slow, broken] = nodes as [HighNode, HighNode, HighNode]
  slow.server.set({ latencyMs: 10_000 })
  broken.server.set({ status: 500 })
  expect(await stage.call('eth_getTransactionCount', [SENDER, 'pending'])).toBe('0x6')
  // It was left before it had answered.
  await eventually(() => expect(slow.server.stats.aborts).toBe(1))
})

it('where all refuse, the client hears what they say', async () => {
  const { stage, nodes } = await start([5, 5])
  for (const { server } of nodes) server.set({ rpcError: { code: -32000, message: 'no pool here' } })
  await expect(stage.call('eth_getTransactionCount', [SENDER, 'pending'])).rejects.toThrow('no pool here')
})

it('where nobody answers in time, nobody is asked once more', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { stage, nodes } = await start([5, 5])
  await stage.call('eth_blockNumber')
  let asked = 0
  for (const { server } of nodes)
    server.set(({ body }) => {
      if (body.includes('eth_getTransactionCount')) asked += 1
      vi.setSystemTime(Date.now() + 31_000)
      return { status: 500 }
    })
  const { status } = await stage.post(ask(1))
  expect([status, asked]).toEqual([504, 2])
})
