import { expect, onTestFinished, test } from 'vitest'
import { readUtxos } from '../../../../src/chains/avalanche/index.ts'
import { ChainNotRunError, UpstreamUnavailableError } from '../../../../src/errors.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { createUpstreamPool, type UpstreamPool } from '../../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'
import { emptyLedger, secpUtxo } from '../ledger-data.ts'
import { type Ledger, type LedgerNode, startLedgerNode } from '../ledger-node.ts'

const OWNER = '01'.padStart(40, '0')
const addresses = [formatBech32Address(Buffer.from(OWNER, 'hex'), 'fuji')]

const ledgerOf = (runs: Ledger['runs'], exported: number): Ledger => {
  const memories = new Map([['P←X', Array.from({ length: exported }, () => secpUtxo(OWNER, 5n))]])
  return { ...emptyLedger(), memories, ...(runs && { runs }) }
}

/** With `--partial-sync-primary-network`: nothing is exported where nobody looks. */
const PARTIAL = () => ledgerOf(['P'], 0)
const WHOLE = (exported = 1) => ledgerOf(['P', 'X', 'C'], exported)

async function start(...ledgers: Ledger[]): Promise<{ pool: UpstreamPool; nodes: LedgerNode[] }> {
  const nodes = await Promise.all(ledgers.map(startLedgerNode))
  // In this order, however fast they turn out to be.
  const specs = nodes.map(({ url }, priority) => ({ url, priority }))
  const pool = createUpstreamPool('nodes', specs, TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(nodes.map((node) => node.close()))
  })
  return { pool, nodes }
}

const fromX = (pool: UpstreamPool, call = {}) => readUtxos(pool, { chain: 'P', sourceChain: 'X', addresses }, call)
const infoCalls = ({ calls }: LedgerNode) => calls.filter(({ method }) => method === 'info.isBootstrapped').length

test.each([0, 1])('what X exported to P is told by a node that runs X, wherever it stands', async (place) => {
  const ledgers = [PARTIAL(), PARTIAL()]
  ledgers[place] = WHOLE()
  const { pool } = await start(...ledgers)
  const responders: { server: object; stoodIn: boolean }[] = []
  for (const _ of [1, 2])
    expect((await fromX(pool, { answeredBy: (responder: never) => responders.push(responder) })).utxos).toHaveLength(1)
  expect(new Set(responders.map(({ server }) => server)).size).toBe(1)
  expect(responders.some(({ stoodIn }) => stoodIn)).toBe(place === 1)
})

test('several pages come from the same one', async () => {
  const { pool, nodes } = await start(PARTIAL(), WHOLE(2_000), { ...WHOLE(0) })
  expect((await fromX(pool)).utxos).toHaveLength(2_000)
  expect(nodes[2]?.calls.filter(({ method }) => method === 'platform.getUTXOs')).toEqual([])
})

test('that there is nothing is not told by nodes of which none runs X', async () => {
  const { pool } = await start(PARTIAL(), PARTIAL())
  await expect(fromX(pool)).rejects.toBeInstanceOf(UpstreamUnavailableError)
  const alone = await start(PARTIAL())
  await expect(fromX(alone.pool)).rejects.toBeInstanceOf(ChainNotRunError)
  expect((await readUtxos(pool, { chain: 'P', addresses }, {})).utxos).toEqual([])
})

test('a node that does not say what it runs is believed, and none is asked twice', async () => {
  for (const ledger of [WHOLE(), ledgerOf(undefined, 1)]) {
    const { pool, nodes } = await start(ledger)
    for (const _ of [1, 2, 3]) expect((await fromX(pool)).utxos).toHaveLength(1)
    expect(nodes.map(infoCalls)).toEqual([1])
  }
})
