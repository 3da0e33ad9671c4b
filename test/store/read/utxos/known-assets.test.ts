import { expect, it } from 'vitest'
import { describeStores } from '../../../support/store/store.ts'
import { AVAX, address, block, commit, id, output, registerAll } from '../../write/range-samples.ts'

const OTHER = id(0xa2)
const DESCRIBED = { id: OTHER, name: 'Other, "x"', symbol: '', denomination: 0, type: 'nft' as const }

describeStores('assets of a page', (open) => {
  it('are described as soon as their making is indexed', async () => {
    const store = await open()
    await registerAll(store)
    const utxos = [output(1, 0, { assetId: OTHER }), output(2, 0), output(3, 0, { assetId: OTHER })]
    await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos })
    const chain = { network: 'testnet', letter: 'P' as const }
    const assets = async (includeSpent: boolean) => {
      const query = { chain, addresses: [address(1)], sortBy: 'timestamp', order: 'asc', limit: 10 } as const
      return (await store.reader.utxos.list({ ...query, includeSpent })).utxos.map(({ asset }) => asset)
    }
    for (const includeSpent of [false, true]) {
      expect(await assets(includeSpent)).toHaveLength(3)
      expect(await assets(includeSpent)).toEqual(expect.arrayContaining([{ id: OTHER }, { id: AVAX }]))
    }
    await commit(store, 'testnet:X', 0, { blocks: [block(0)], assets: [{ ...DESCRIBED, height: 0n }] })
    for (const includeSpent of [false, true, false]) {
      const told = await assets(includeSpent)
      expect(told.filter((asset) => asset.id === OTHER)).toEqual([DESCRIBED, DESCRIBED])
      expect(told.filter((asset) => asset.id === AVAX)).toEqual([{ id: AVAX }])
    }
  })
})
