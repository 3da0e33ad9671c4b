import { describe, expect, onTestFinished, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'
import { emptyLedger, secpUtxo, stakerOf } from '../ledger-data.ts'
import { type LedgerNode, startLedgerNode } from '../ledger-node.ts'
import { context, hex, NOW, natives, text, wallet } from '../ledger-sources.ts'

/** P over two nodes, the first one preferred. */
async function twoNodes() {
  const nodes = await Promise.all([startLedgerNode(emptyLedger()), startLedgerNode(emptyLedger())])
  const specs = nodes.map(({ url }, priority) => ({ url, priority }))
  const pool = createUpstreamPool('nodes', specs, TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(nodes.map((node) => node.close()))
  })
  const network = createAvalancheNetwork({ pool })
  const caip2Id = AVALANCHE_CAIP2.testnet.P
  const source = createPvmBalanceSource({ network, caip2Id, keys: createKeyScanner({ network }), now: () => NOW })
  const read = async (...numbers: number[]) => {
    const addresses = numbers.map((number) => text(number))
    return natives(await source.readBalances([wallet('w', ...addresses)], context()))
  }
  const [first, second] = nodes as [LedgerNode, LedgerNode]
  return { first, second, read }
}

/** The first address owns these, and has a stake of so much. */
function fill({ ledger, reindex }: LedgerNode, height: number, utxos: string[], staked: bigint): void {
  ledger.heights.P = height
  ledger.memories.set('P', utxos)
  const outputs = [{ owners: [hex(1)], amount: staked }]
  if (staked > 0n) ledger.stakers.push(stakerOf({ endTime: 5_000, outputs }))
  reindex()
}

const lacking = (method: string, error: { code: number; message: string }) => (call: { method: string }) =>
  call.method === method ? error : undefined

describe.each([
  ['has no such method', { code: -32601, message: 'no such method' }],
  ['is in trouble', { code: -32603, message: 'internal error' }],
])('where a node that %s has others stand in for it, blocks behind or ahead', (_, error) => {
  const setUp = async () => {
    const nodes = await twoNodes()
    nodes.first.before = lacking('platform.getStake', error)
    return nodes
  }

  test('a coin that was staked is not lost', async () => {
    const { first, second, read } = await setUp()
    fill(first, 11, [], 100n)
    fill(second, 10, [secpUtxo(hex(1), 100n)], 0n)
    expect([await read(1), await read(1)]).toEqual([{ w: 100n }, { w: 100n }])
  })

  test('a coin that was staked is not counted twice', async () => {
    const { first, second, read } = await setUp()
    fill(first, 10, [secpUtxo(hex(1), 100n)], 0n)
    fill(second, 11, [], 100n)
    expect([await read(1), await read(1)]).toEqual([{ w: 100n }, { w: 100n }])
    // What one node answers alone is not read again.
    first.before = () => undefined
    second.calls.length = 0
    expect(await read(1)).toEqual({ w: 100n })
    expect(second.calls.filter(({ method }) => method.startsWith('platform.get'))).toEqual([])
  })

  test('a wallet that takes many calls is no error', async () => {
    const { first, second, read } = await setUp()
    fill(first, 11, [], 1_500n)
    fill(
      second,
      10,
      Array.from({ length: 1_500 }, () => secpUtxo(hex(1), 1n)),
      0n,
    )
    const many = Array.from({ length: 300 }, (_, index) => index + 1)
    for (const numbers of [[1], [1], many, many]) expect(await read(...numbers)).toEqual({ w: 1_500n })
  })
})

test('where no one node tells all there is an error', async () => {
  const { first, second, read } = await twoNodes()
  first.before = lacking('platform.getStake', { code: -32601, message: 'no stakes' })
  second.before = lacking('platform.getUTXOs', { code: -32601, message: 'no UTXOs' })
  fill(first, 11, [], 100n)
  fill(second, 10, [secpUtxo(hex(1), 100n)], 0n)
  expect(await read(1)).toEqual({ w: expect.stringMatching(/no (stakes|UTXOs)|no one node/) })
})
