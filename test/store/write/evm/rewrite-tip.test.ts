import { expect, it } from 'vitest'
import type { EvmRows } from '../../../../src/store/index.ts'
import { describeStores } from '../../../support/store/store.ts'
import { address, commitEvm, id, NFTS, nft, nftTransfer, range } from '../range-samples.ts'

const C = { name: 't:C', kind: 'primary', network: 't', testnet: true, chain: 'C', evmChainId: 77n } as const
const TOKEN = address(0xdd)

const rowsOf = (height: number, owner: string): EvmRows => ({
  transfers: [nftTransfer(height, owner)],
  nfts: [nft(height, owner)],
  participants: [{ address: owner, height: BigInt(height) }],
  holdings: [{ address: owner, contract: TOKEN, height: BigInt(height) }],
})

describeStores('the EVM side of the blocks at the tip, written anew', (open) => {
  it('is as if nothing else had been written of them, and the stream stands where it stood', async () => {
    const store = await open()
    await store.open()
    await store.writer.register(C)
    for (const height of [0, 1, 2]) await commitEvm(store, C.name, height, rowsOf(height, address(height + 1)))
    const tip = { height: 2n, blockId: id(3) }
    const before = await store.writer.register(C)
    const again = [rowsOf(1, address(7)), rowsOf(2, address(8))]
    const rows: EvmRows = {
      transfers: again.flatMap(({ transfers = [] }) => transfers),
      nfts: again.flatMap(({ nfts = [] }) => nfts),
      participants: again.flatMap(({ participants = [] }) => participants),
      holdings: again.flatMap(({ holdings = [] }) => holdings),
    }
    const rewrite = { above: 0n, rows, state: '5 aa bb' }
    await expect(store.writer.rewriteTip(C.name, { ...tip, height: 1n }, rewrite)).rejects.toThrow('2')
    await expect(store.writer.rewriteTip(C.name, { ...tip, blockId: id(9) }, rewrite)).rejects.toThrow(id(9))
    expect(await store.reader.evm.chainsOf(address(2))).toEqual([77n])

    await store.writer.rewriteTip(C.name, tip, rewrite)
    const chains = [1, 2, 3, 7, 8].map((who) => store.reader.evm.chainsOf(address(who)))
    expect(await Promise.all(chains)).toEqual([[77n], [], [], [77n], [77n]])
    expect((await store.reader.nfts.list(NFTS, { limit: 10 })).tokens.map(({ owner }) => owner)).toEqual([address(8)])
    expect(await store.writer.register(C)).toEqual({ ...before, state: '5 aa bb' })
    await commitEvm(store, C.name, 3, rowsOf(3, address(9)))
    expect((await store.reader.nfts.list(NFTS, { limit: 10 })).tokens.map(({ owner }) => owner)).toEqual([address(9)])
    await store.writer.commitRange(C.name, {}, range(4))
  })
})
