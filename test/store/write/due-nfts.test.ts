import { expect, it, vi } from 'vitest'
import { describeStores } from '../../support/store/store.ts'
import { address, commitEvm, L1, NFTS, nft } from './range-samples.ts'

describeStores('NFT metadata that is due', (open) => {
  it('leaves out collections that have enough of it, of each kind by itself', async () => {
    const store = await open()
    await store.writer.register(L1)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n), nft(0, address(1), 300n)] })
    const { contract } = nft(0, address(1), 7n)
    const { takeDue, requestReindex } = store.nftMetadata
    expect(await takeDue(10, 600, 'others', [contract, address(9)])).toEqual([])
    await requestReindex({ ...NFTS, tokenId: 7n }, 3_600)
    expect(await takeDue(10, 600, 'others', [contract])).toEqual([])
    expect(await takeDue(10, 600, 'asked', [address(9), contract])).toEqual([])
    expect(await takeDue(10, 600, 'asked', [address(9)])).toMatchObject([{ tokenId: 7n, asked: true }])
    const others = await takeDue(10, 600, 'others', [address(9)])
    expect(others).toMatchObject([{ tokenId: 300n, asked: false }])
  })

  it('lets what stands behind a large collection come forward, and reads no more than the head of the queue for it', async () => {
    const store = await open()
    await store.writer.register(L1)
    const { contract } = NFTS
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000)
    const many = Array.from({ length: 1_500 }, (_, n) => nft(0, address(1), BigInt(n)))
    await commitEvm(store, L1.name, 0, { nfts: many })
    clock.mockReturnValue(Date.now() + 3_600_000)
    await commitEvm(store, L1.name, 1, { nfts: [{ ...nft(1, address(1), 1n), contract: address(0xdd) }] })
    clock.mockRestore()
    const take = () => store.nftMetadata.takeDue(10, 600, 'others', [contract])
    expect(await take()).toEqual([])
    expect(await take()).toMatchObject([{ contract: address(0xdd), tokenId: 1n, attempts: 0 }])
    // Those that went behind it have lost nothing else, and stay in their order.
    const rest = await store.nftMetadata.takeDue(2_000, 600, 'others')
    expect(rest.map(({ contract }) => contract)).toEqual(Array(1_500).fill(contract))
    expect(new Set(rest.map(({ attempts }) => attempts))).toEqual(new Set([0]))
  })

  it('takes in an id that is minted again, and a new one once', async () => {
    const store = await open()
    await store.writer.register(L1)
    const minted = (height: number) => ({
      nfts: [nft(height, address(1), 7n)],
      metadataChanges: [{ height: BigInt(height), contract: NFTS.contract, from: 7n, to: 7n }],
    })
    await commitEvm(store, L1.name, 0, minted(0))
    const [first] = await store.nftMetadata.takeDue(10, 600, 'others')
    if (first === undefined) throw new Error('not queued')
    await store.nftMetadata.store(first, { status: 'INDEXED', name: 'burned' })
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toEqual([])
    await commitEvm(store, L1.name, 1, minted(1))
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toMatchObject([
      { tokenId: 7n, attempts: 0, asked: false },
    ])
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toEqual([])
  })
})
