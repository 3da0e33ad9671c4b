import { expect, it } from 'vitest'
import { assembleXTx, type UnsignedXTx, type XBlock } from '../../../src/chains/avalanche/codec/index.ts'
import { createXApplier } from '../../../src/indexer/primary/x/applier.ts'

const id = (digit: string): string => digit.repeat(64)
const ids = { networkId: 5, xChainId: id('b'), cChainId: id('c'), avaxAssetId: id('a') }
const source = { id: id('2'), parentId: id('1'), height: 1n, time: 5n, size: 1 }

/** What the index notes of an asset with these feature extensions. */
async function typeOf(features: number[]): Promise<unknown> {
  const base = { networkId: 5, blockchainId: ids.xChainId, inputs: [], outputs: [], memo: new Uint8Array() }
  const initialStates = features.map((fxIndex) => ({ fxIndex, outputs: [] }))
  const names = { name: 'Card', symbol: 'CARD', denomination: 0 }
  const tx = assembleXTx({ type: 'CreateAssetTx', ...base, ...names, initialStates } as UnsignedXTx, [])
  const block: XBlock = {
    type: 'StandardBlock',
    parentId: id('1'),
    height: 1n,
    time: 5n,
    merkleRoot: id('0'),
    txs: [tx],
  }
  const { rows } = await createXApplier(ids, false).apply([{ ...source, block }])
  return rows.primary?.assets?.[0]?.type
}

it.each([
  { features: [0], type: 'secp256k1' },
  { features: [1], type: 'nft' },
  { features: [2], type: 'property' },
  { features: [0, 1], type: 'nft' },
  { features: [0, 2], type: 'property' },
  { features: [1, 2], type: 'nft' },
  { features: [0, 1, 2], type: 'nft' },
  { features: [], type: 'secp256k1' },
])('an asset with the feature extensions $features is one of $type', async ({ features, type }) => {
  expect(await typeOf(features)).toBe(type)
})
