import { expect, onTestFinished, test } from 'vitest'
import {
  createAvalancheNetwork,
  createKeyScanner,
  createPvmBalanceSource,
  readUtxos,
} from '../../../../src/chains/avalanche/index.ts'
import { BadAnswerError } from '../../../../src/errors.ts'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../../src/upstream/index.ts'
import { startFaultServer } from '../../../support/upstream/fault-server.ts'
import { AVAX, secpUtxo, stakerOf } from '../ledger-data.ts'
import { context, hex, natives, text, useLedger, wallet } from '../ledger-sources.ts'

const { node, put } = useLedger()

const NOTHING = { utxos: [], numFetched: '0', stakedOutputs: [] }
const page = (...utxos: string[]) => ({ utxos, numFetched: String(utxos.length) })

/** What P tells of one address over a node that answers `method` in this way, with the real one behind it or not. */
async function balanceOver(method: string, result: unknown, { second }: { second: boolean }) {
  const others = { code: -32005, message: 'limit', methods: ['platform.getUTXOs', 'platform.getStake'] }
  others.methods = second ? others.methods.filter((one) => one !== method) : []
  const first = await startFaultServer({
    answer: (call) => (call.method === method ? result : NOTHING),
    faults: { rpcError: others },
  })
  const urls = [first.url, ...(second ? [node().url] : [])]
  const pool = createUpstreamPool(
    'avalanche',
    urls.map((url) => ({ url })),
    { ...DEFAULT_LIMITS, hedgeMinMs: 0 },
  )
  onTestFinished(async () => {
    await pool.close()
    await first.close()
  })
  const { networkId, hrp, chainIds } = node().ledger
  const avaxAssetId = idToCb58(AVAX)
  const overrides = { networkId, hrp, avaxAssetId, xBlockchainId: chainIds.X, cBlockchainId: chainIds.C }
  const network = createAvalancheNetwork({ pool, overrides })
  const source = createPvmBalanceSource({ network, caip2Id: 'avax:p', keys: createKeyScanner({ network }) })
  return source.readBalances([wallet('mine', text(1))], context())
}

const stranger = stakerOf({ endTime: 9, outputs: [{ owners: [hex(2)], amount: 5n }] }).outputs.map(
  (output) => output.hex,
)

test.each([
  ['UTXOs of a stranger', 'platform.getUTXOs', page(secpUtxo(hex(2), 7n))],
  ['a page that was cut', 'platform.getUTXOs', { ...page(secpUtxo(hex(1), 7n)), numFetched: '2' }],
  ['a UTXO that lost bytes', 'platform.getUTXOs', page(secpUtxo(hex(1), 7n).slice(0, -2))],
  ['no page', 'platform.getUTXOs', {}],
  ['no stakes', 'platform.getStake', { staked: '0' }],
  ['the stake of a stranger', 'platform.getStake', { stakedOutputs: stranger }],
])('%s: an error, never a smaller number, and another node is asked', async (_, method, result) => {
  put('P', secpUtxo(hex(1), 40n))
  const alone = await balanceOver(method, result, { second: false })
  expect(alone.get('mine')).toMatchObject({ ok: false, error: { code: 'BAD_ANSWER', retryable: true } })
  expect(natives(await balanceOver(method, result, { second: true }))).toEqual({ mine: 40n })
})

test('pages that lead round in a circle are given up at the first repetition', async () => {
  const utxos = Array.from({ length: 1_024 }, () => secpUtxo(hex(1), 1n))
  let pages = 0
  const rpc = async () => {
    pages += 1
    return { utxos, numFetched: '1024', endIndex: { address: 'X-a', utxo: String(pages % 3) } }
  }
  const read = readUtxos({ rpc } as unknown as UpstreamPool, { chain: 'X', addresses: [text(1)] }, {})
  await expect(read).rejects.toBeInstanceOf(BadAnswerError)
  expect(pages).toBe(4)
})
