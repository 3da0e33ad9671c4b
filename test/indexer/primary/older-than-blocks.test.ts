import { expect, it, onTestFinished } from 'vitest'
import { requireWholeHistory } from '../../../src/api/data/primary/whole-history.ts'
import { assembleXTx, type UnsignedXTx, type XBlock } from '../../../src/chains/avalanche/codec/index.ts'
import { createXApplier } from '../../../src/indexer/primary/x/applier.ts'
import { idFromCb58 } from '../../../src/lib/bytes/ids.ts'
import { openTestStore } from '../../support/store/store.ts'

const MAINNET_X = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'
const OWN_X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'
const id = (digit: string): string => digit.repeat(64)

/** A block that spends an output which no block before it has made. */
async function rowsOf(x: string) {
  const xChainId = idFromCb58(x)
  const base = { networkId: 1, blockchainId: xChainId, outputs: [], memo: new Uint8Array() }
  const input = { type: 'secp-transfer', amount: 5n, sigIndices: [0] }
  const inputs = [{ txId: id('7'), outputIndex: 0, assetId: id('a'), input }]
  const tx = assembleXTx({ type: 'BaseTx', ...base, inputs } as UnsignedXTx, [])
  const block = { type: 'StandardBlock', parentId: id('1'), height: 1n, time: 5n, merkleRoot: id('0'), txs: [tx] }
  const ids = { networkId: 1, xChainId, cChainId: id('c'), avaxAssetId: id('a') }
  const source = { id: id('2'), parentId: id('1'), height: 1n, time: 5n, size: 1 }
  const { rows } = await createXApplier(ids, false).apply([{ ...source, block: block as unknown as XBlock }])
  return rows
}

async function storeOf(x: string): Promise<unknown> {
  const store = openTestStore()
  onTestFinished(() => store.close())
  const definition = { name: 'n:X', kind: 'primary' as const, network: 'n', testnet: false, chain: 'X' as const }
  await store.writer.register(definition)
  const place = { from: 1n, parentId: id('1'), height: 1n, blockId: id('2'), time: 5n }
  await store.writer.commitRange('n:X', await rowsOf(x), place)
  return store.reader.blocks.atHeight({ network: 'n', letter: 'X' }, 1n)
}

it('X of the public networks goes on over outputs of before it had blocks; an own network stands before them', async () => {
  expect(await storeOf(MAINNET_X)).toMatchObject({ id: id('2') })
  await expect(storeOf(OWN_X)).rejects.toThrow('is not there to be consumed')
})

const chain = (letter: 'P' | 'X' | 'C', x: string) => ({
  name: { network: 'mainnet', letter },
  side: 'mainnet' as const,
  letter,
  identity: { hrp: 'avax', blockchainIds: { P: '', X: x, C: '' }, avaxAssetId: '' },
  chainInfo: { chainName: 'x-chain' as const, network: 'mainnet' as const },
})

it('what addresses of the public X-chains owned in the past is refused, for a part of it is unknown; other chains and networks are not', () => {
  expect(() => requireWholeHistory(chain('X', MAINNET_X), 'balances of the past')).toThrow('before Cortina')
  expect(() => requireWholeHistory(chain('P', MAINNET_X), 'balances of the past')).not.toThrow()
  expect(() => requireWholeHistory(chain('X', OWN_X), 'balances of the past')).not.toThrow()
})
