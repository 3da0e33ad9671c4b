import { expect, test } from 'vitest'
import {
  createAvalancheNetwork,
  createAvmBalanceSource,
  createKeyScanner,
} from '../../../../src/chains/avalanche/index.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'
import { balancesOf, readContext } from '../../../support/balances/balance-reads.ts'
import { text, wallet } from '../ledger-sources.ts'

const KEY =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const ID = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'
const NOTHING = { numFetched: '0', utxos: [], stakedOutputs: [], height: '1' }

/** A node at no distance that knows nothing; says how many turns others had when it was asked last. */
function nearNode() {
  let turns = 0
  let atLast = 0
  let counting = true
  const count = (): void => {
    turns += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const rpc = async <T>(): Promise<T> => {
    atLast = turns
    return NOTHING as T
  }
  const end = (): number => {
    counting = false
    return turns - atLast
  }
  return { pool: { name: 'near', rpc, status: () => [{}] } as unknown as UpstreamPool, end }
}

test('what a wallet with a key and many addresses owns is put together in several turns', async () => {
  const { pool, end } = nearNode()
  const ids = { networkId: 5, xBlockchainId: ID, cBlockchainId: ID, avaxAssetId: ID }
  const network = createAvalancheNetwork({ pool, overrides: ids })
  const source = createAvmBalanceSource({ network, caip2Id: 'avax:x', keys: createKeyScanner({ network }) })
  const addresses = Array.from({ length: 30_000 }, (_, at) => text(at))
  const account = { ...wallet('w', ...addresses), extendedPublicKeys: [KEY] }
  const found = await source.readBalances([account], readContext())
  expect(balancesOf(found.get('w')).native).toBe(0n)
  expect(end()).toBeGreaterThan(10)
})
