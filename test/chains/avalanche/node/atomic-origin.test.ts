import { expect, it, onTestFinished } from 'vitest'
import { readAtomicOrigin } from '../../../../src/chains/avalanche/index.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import { type ReplayNodeOptions, startReplayNode } from '../../../support/replay-node/index.ts'
import { startFaultServer } from '../../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'

async function poolOver(nodes: readonly ReplayNodeOptions[]) {
  const started = await Promise.all(nodes.map((node) => startReplayNode(node)))
  const pool = createUpstreamPool(
    'recorded',
    started.map(({ url }) => ({ url })),
    TEST_LIMITS,
  )
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(started.map((node) => node.stop()))
  })
  return { pool, nodes: started }
}

const times = new Map(
  recordedLines<{ chain: string; height: number; timestamp: number }>('truth/blocks')
    .filter(({ chain }) => chain === 'C')
    .map(({ height, timestamp }) => [height, timestamp]),
)
const transactions = recordedLines<{ id: string; tx: { blockHeight?: string } }>('c-atomic-txs').filter(
  ({ tx }) => tx.blockHeight !== undefined,
)

it('every atomic transaction is found in its block, also where most nodes took the state of C from others', async () => {
  // These know nothing of what was before.
  const { pool } = await poolOver([{ upTo: { C: 0 } }, {}, { upTo: { C: 0 } }])
  expect(transactions.length).toBeGreaterThan(10)
  for (const { id, tx } of transactions) {
    const height = Number(tx.blockHeight)
    const origin = await readAtomicOrigin(pool, id, {})
    expect(origin).toEqual({ height: BigInt(height), time: BigInt(times.get(height) as number) })
  }
})

it('what no node knows is an error that says so', async () => {
  const { pool } = await poolOver([{ upTo: { C: 0 } }, { upTo: { C: 0 } }])
  const { id } = transactions.at(-1) as { id: string }
  await expect(readAtomicOrigin(pool, id, {})).rejects.toThrow('could not find tx')
})

const last = transactions.at(-1) as (typeof transactions)[number]

it.each([
  ['transaction that another question asked for', 'avax.getAtomicTx', transactions[0]?.tx],
  ['block that another question asked for', 'eth_getBlockByNumber', { number: '0x1', timestamp: '0x5' }],
  [
    'block whose time is in another form',
    'eth_getBlockByNumber',
    { number: `0x${Number(last.tx.blockHeight).toString(16)}`, timestamp: '5' },
  ],
])('the %s is no answer: the next node is asked', async (_, method, told) => {
  const node = await startReplayNode({})
  const { id, tx } = last
  const mixing = await startFaultServer({
    answer: (call) => (call.method === method ? told : call.method === 'avax.getAtomicTx' ? tx : undefined),
  })
  const pool = createUpstreamPool('recorded', [{ url: mixing.url }, { url: node.url }], TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all([node.stop(), mixing.close()])
  })
  const height = Number(tx.blockHeight)
  expect(await readAtomicOrigin(pool, id, {})).toEqual({
    height: BigInt(height),
    time: BigInt(times.get(height) as number),
  })
})
