import { expect, it } from 'vitest'
import { describeStores } from '../../support/store.ts'
import { address, commitEvm, L1, NFTS, nft } from './range-samples.ts'

describeStores('NFT metadata that is due', (open) => {
  it('leaves out collections that have enough of it, but what was asked for', async () => {
    const store = await open()
    await store.writer.register(L1)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n), nft(0, address(1), 300n)] })
    const { contract } = nft(0, address(1), 7n)
    expect(await store.nftMetadata.takeDue(10, 600, undefined, [contract, address(9)])).toEqual([])
    await store.nftMetadata.requestReindex({ ...NFTS, tokenId: 7n }, 3_600)
    const asked = await store.nftMetadata.takeDue(10, 600, undefined, [contract])
    expect(asked).toMatchObject([{ tokenId: 7n, asked: true }])
    expect(await store.nftMetadata.takeDue(10, 600, undefined, [address(9)])).toMatchObject([{ tokenId: 300n }])
  })
})
