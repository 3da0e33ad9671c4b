import { expect, onTestFinished, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'
import { emptyLedger, secpUtxo } from '../ledger-data.ts'
import { type LedgerNode, startLedgerNode } from '../ledger-node.ts'
import { context, hex, NOW, text, wallet } from '../ledger-sources.ts'

const AMOUNT = 2_500

test('a wallet of many pages is read of a node that knows what X and C exported, behind one that runs P alone', async () => {
  const own = Array.from({ length: AMOUNT }, () => secpUtxo(hex(1), 1n))
  const exported = [secpUtxo(hex(1), 7n)]
  const nodes = await Promise.all([
    startLedgerNode({ ...emptyLedger(), memories: new Map([['P', own]]), runs: ['P'] }),
    startLedgerNode({
      ...emptyLedger(),
      memories: new Map([
        ['P', own],
        ['P←C', exported],
      ]),
      runs: ['P', 'X', 'C'],
    }),
  ])
  const [partial] = nodes
  partial.before = ({ method }) => (method === 'eth_blockNumber' ? { code: -32_005, message: 'no C here' } : undefined)
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
  })
  const readerOver = (used: readonly LedgerNode[]) => {
    // Whichever answers quicker, the one that runs P alone is asked first.
    const specs = used.map(({ url }, priority) => ({ url, priority }))
    const pool = createUpstreamPool('nodes', specs, { ...TEST_LIMITS, hedgeMinMs: 0 })
    onTestFinished(() => pool.close())
    const network = createAvalancheNetwork({ pool })
    const deps = { network, keys: createKeyScanner({ network }), now: () => NOW, caip2Id: AVALANCHE_CAIP2.testnet.P }
    const source = createPvmBalanceSource(deps)
    return async () => (await source.readBalances([wallet('w', text(1))], context())).get('w')
  }
  const whole = await readerOver(nodes.slice(1))()
  expect(
    JSON.stringify(whole, (_, value) =>
      String(value) === '7' ? 'seven' : typeof value === 'bigint' ? String(value) : value,
    ),
  ).toContain('seven')
  const read = readerOver(nodes)
  // From the second time on it is known that there are several pages.
  for (let time = 0; time < 3; time++) expect(await read()).toEqual(whole)
})
