import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { SeenCall } from '../../../../support/upstream/fault-server.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmStage, type HighNode, startNodesAt } from '../stage.ts'

// Who has a receipt asks for what came of it next: no node may be asked then that does not have the block.

const hex = (number: number): string => `0x${number.toString(16)}`
/** The parameter of the call names the block of the transaction. */
const receiptOf = ({ params }: SeenCall) => ({
  blockHash: `0x${'ab'.repeat(32)}`,
  blockNumber: (params as string[])[0],
  status: '0x1',
})

/** @param onLook called before a node tells its height */
const start = (heights: readonly number[], onLook = (_node: HighNode): void => {}) =>
  startNodesAt(heights, (node, call) => {
    if (call.method === 'eth_blockNumber') {
      onLook(node)
      return hex(node.height)
    }
    const receipt = receiptOf(call)
    return Number(receipt.blockNumber) <= node.height ? receipt : null
  })

const asked = ({ server }: HighNode): number =>
  server.stats.seen.filter(({ method }) => method === 'eth_blockNumber').length

const ask = (stage: EvmStage, block: number) => stage.call('eth_getTransactionReceipt', [hex(block)])

it.each(['alone', 'in a batch'])('a receipt is told when all nodes have its block, %s', async (way) => {
  let looks = Number.NEGATIVE_INFINITY
  const { stage, nodes } = await start([101, 100], (node) => {
    if (node.height === 100 && ++looks === 2) node.height = 101
  })
  const late = nodes[1] as HighNode
  expect(await ask(stage, 99)).toMatchObject({ status: '0x1' })
  looks = 0
  if (way === 'alone') await ask(stage, 101)
  else {
    const call = { jsonrpc: '2.0', method: 'eth_getTransactionReceipt' }
    const batch = [99, 101, 98].map((block, id) => ({ ...call, id, params: [hex(block)] }))
    expect(JSON.parse((await stage.post(batch)).text)).toHaveLength(3)
  }
  expect(late.height).toBe(101)
  const before = nodes.map(asked)
  await ask(stage, 100)
  expect(nodes.map(asked)).toEqual(before)
})

it('who asks for a receipt while a node lacks its block waits, too: nothing is told from memory before all nodes have it', async () => {
  const { stage, nodes } = await start([101, 100])
  const late = nodes[1] as HighNode
  let told = 0
  const asking: Promise<void>[] = []
  for (let turn = 0; turn < 3; turn++) {
    const before = asked(late)
    asking.push(
      ask(stage, 101).then(() => {
        if (late.height < 101) told++
      }),
    )
    await until(() => asked(late) > before, 'the late node is looked at')
  }
  expect(told).toBe(0)
  late.height = 101
  await Promise.all(asking)
  expect(told).toBe(0)
})

it('a node that does not get there holds up one receipt for a moment, and none after it', async () => {
  const { stage, nodes } = await start([101, 100])
  const first = await Promise.race([ask(stage, 101), pause(300, 'waits')])
  expect(first).toBe('waits')
  await expect.poll(() => ask(stage, 101), { timeout: 10_000 }).toMatchObject({ status: '0x1' })
  const node = nodes[0] as HighNode
  node.height = 102
  const before = nodes.map(asked)
  expect(await ask(stage, 102)).toMatchObject({ status: '0x1' })
  expect(nodes.map(asked)[1]).toBe(before[1])
})

it('a receipt of long ago is told at once, and where there is one node nobody is waited for', async () => {
  const { stage, nodes } = await start([120, 118])
  await stage.call('eth_blockNumber')
  await pause(50)
  const before = nodes.map(asked)
  await ask(stage, 104)
  expect(nodes.map(asked)).toEqual(before)
  const single = await start([100])
  await ask(single.stage, 100)
  expect(single.nodes.map(asked).every((count) => count <= 1)).toBe(true)
})
