import { expect, it } from 'vitest'
import { CancelledError } from '../../../../src/errors.ts'
import type { EvmRows, Store } from '../../../../src/store/index.ts'
import { describeStores } from '../../../support/store/store.ts'
import {
  address,
  evmBlock as block,
  commitEvm,
  id,
  L1,
  NFTS,
  nft,
  nftTransfer,
  range,
  tipAt,
} from '../range-samples.ts'

const OTHER = { name: 'eip155:78', kind: 'evm' as const, testnet: true, evmChainId: 78n }
/** The first is one of main networks. */
const main = { streams: [L1.name] }
const both = { streams: [L1.name, OTHER.name] }
const transaction = (height: number, index: number, more: object = {}) => ({
  height: BigInt(height),
  index,
  hash: id(1_000 + 10 * height + index),
  from: address(1),
  to: address(2),
  value: 2n ** 256n - 1n,
  success: index === 0,
  type: 2,
  gasLimit: 21_000n,
  gasUsed: 21_000n,
  gasPrice: 30n,
  nonce: 4n,
  selector: 'a9059cbb',
  ...more,
})

const plainBlock = (height: number): EvmRows => ({
  blocks: [block(height)],
  transactions: [transaction(height, 0), transaction(height, 1)],
})

async function opened(open: () => Promise<Store>): Promise<Store> {
  const store = await open()
  await store.writer.register(L1)
  await store.writer.register(OTHER)
  return store
}

describeStores('EVM chains', (open) => {
  it('list blocks and transactions of all chains newest first, page by page while more arrive', async () => {
    const store = await opened(open)
    for (let height = 0; height < 4; height++) {
      await commitEvm(store, L1.name, height, plainBlock(height))
      await commitEvm(store, OTHER.name, height, plainBlock(height))
    }
    const { evm } = store.reader
    const first = await evm.latestBlocks({ ...both, limit: 3 })
    expect(first.blocks[0]).toMatchObject({ feesSpent: 2n ** 200n, cumulativeTransactions: 8n })
    await commitEvm(store, L1.name, 4, plainBlock(4))
    const second = await evm.latestBlocks({
      ...both,
      limit: 10,
      ...(first.next === undefined ? {} : { after: first.next }),
    })
    const seen = [...first.blocks, ...second.blocks].map((entry) => `${entry.chainId}:${entry.height}`)
    expect(seen).toEqual(['78:3', '77:3', '78:2', '77:2', '78:1', '77:1', '78:0', '77:0'])
    expect(second.next).toBeUndefined()
    const { blocks: own } = await evm.latestBlocks({ ...main, limit: 2 })
    expect(own.map((entry) => [entry.chainId, entry.height])).toEqual([
      [77n, 4n],
      [77n, 3n],
    ])
    // A chain that is not indexed any more, and one that never was.
    const streams = [OTHER.name, 'eip155:5']
    const { blocks: served } = await evm.latestBlocks({ streams, limit: 9 })
    expect(served.map((entry) => [entry.chainId, entry.height])).toEqual([3n, 2n, 1n, 0n].map((at) => [78n, at]))
    const { transactions } = await evm.latestTransactions({ streams, success: false, limit: 1 })
    expect(transactions.map((entry) => [entry.chainId, entry.height])).toEqual([[78n, 3n]])
    expect(await evm.latestBlocks({ streams: ['eip155:5'], limit: 9 })).toEqual({ blocks: [] })
    expect(await evm.latestBlocks({ streams: [], limit: 9 })).toEqual({ blocks: [] })
    const pages: string[] = []
    let after: Awaited<ReturnType<typeof evm.latestTransactions>>['next']
    do {
      const page = await evm.latestTransactions({ ...main, limit: 3, ...(after === undefined ? {} : { after }) })
      pages.push(...page.transactions.map((entry) => `${entry.height}/${entry.index}`))
      after = page.next
    } while (after !== undefined)
    expect(pages).toEqual([4, 3, 2, 1, 0].flatMap((height) => [`${height}/1`, `${height}/0`]))
    const failed = await evm.latestTransactions({ ...both, limit: 2, success: false })
    expect(failed.transactions.map((entry) => [entry.chainId, entry.height, entry.success])).toEqual([
      [77n, 4n, false],
      [78n, 3n, false],
    ])
    expect(failed.transactions[0]).toMatchObject({ value: 2n ** 256n - 1n, block: { hash: id(5), time: 1_004n } })
    expect((await evm.latestTransactions({ ...both, limit: 99, success: true })).transactions).toHaveLength(9)
    // A page that ends with the list is the last one.
    expect(await evm.latestBlocks({ ...main, limit: 5 })).toHaveProperty('blocks.length', 5)
    expect(await evm.latestBlocks({ ...main, limit: 5 })).not.toHaveProperty('next')
    expect(await evm.latestTransactions({ ...main, limit: 10 })).not.toHaveProperty('next')
    // However many blocks hold nothing that is asked for.
    const failing = (height: number, ...places: number[]) => ({
      blocks: [block(height, { txCount: places.length, failedCount: places.length })],
      transactions: places.map((place) => transaction(height, place)),
    })
    await commitEvm(store, L1.name, 5, failing(5, 1))
    await commitEvm(store, L1.name, 6, failing(6, 1))
    await commitEvm(store, L1.name, 7, failing(7, 1, 2, 3))
    const [succeeded] = (await evm.latestTransactions({ ...both, limit: 1, success: true })).transactions
    expect([succeeded?.chainId, succeeded?.height, succeeded?.index]).toEqual([77n, 4n, 0])
    const failures: string[] = []
    do {
      const page = await evm.latestTransactions({ ...main, limit: 1, success: false, ...(after && { after }) })
      failures.push(...page.transactions.map((entry) => `${entry.height}/${entry.index}`))
      after = page.next
    } while (after !== undefined)
    expect(failures).toEqual(['7/3', '7/2', '7/1', '6/1', '5/1', '4/1', '3/1', '2/1', '1/1', '0/1'])
  })

  it('know who took part, tokens touched, and contracts bit by bit', async () => {
    const store = await opened(open)
    const token = address(0xdd)
    const participants = [
      { address: address(1), height: 0n },
      { address: address(1), height: 0n },
    ]
    const holdings = [{ address: address(1), contract: token, height: 0n }]
    const contract = { address: token, height: 0n, standard: 'ERC-20' as const, name: 'a\0b"\\', decimals: 6 }
    await commitEvm(store, L1.name, 0, { participants, holdings, contracts: [contract] })
    await commitEvm(store, OTHER.name, 0, { participants })
    await commitEvm(store, L1.name, 1, {
      participants,
      holdings,
      contracts: [{ address: token, height: 1n, symbol: 'T' }],
    })
    expect((await store.reader.evm.chainsOf(address(1))).sort()).toEqual([77n, 78n])
    expect(await store.reader.evm.chainsOf(address(5))).toEqual([])
    const known = { address: token, standard: 'ERC-20', name: 'ab"\\', symbol: 'T', decimals: 6 }
    expect(await store.reader.evm.touchedTokens(77n, address(1), 10)).toEqual([token])
    const gone = { clients: new Set(['a']), signal: AbortSignal.abort() }
    await expect(store.reader.evm.touchedTokens(77n, address(1), 10, gone)).rejects.toThrow(CancelledError)
    expect(await store.reader.evm.contracts(77n, [token, address(3)])).toEqual([known])
    await expect(store.reader.evm.contracts(5n, [token])).rejects.toThrow('not indexed')
  })

  it('name the tokens of an address in the order in which it got to know them, whatever their addresses are', async () => {
    const store = await opened(open)
    const of = (contract: number, height: bigint) => ({ address: address(1), contract: address(contract), height })
    await commitEvm(store, L1.name, 0, { holdings: [of(9, 0n), of(8, 0n)] })
    await commitEvm(store, L1.name, 1, { holdings: [of(2, 1n), of(9, 1n)] })
    await commitEvm(store, L1.name, 2, { holdings: [of(5, 2n), { ...of(3, 2n), address: address(7) }] })
    const named = (limit: number) => store.reader.evm.touchedTokens(77n, address(1), limit)
    expect(await named(10)).toEqual([8, 9, 2, 5].map(address))
    expect(await named(3)).toEqual([8, 9, 2].map(address))
  })

  it('show a token as its last movement did, also after going back', async () => {
    const store = await opened(open)
    const token = nft(0, address(1))
    // It moved twice in its first block, and another one behind it.
    const transfers = [
      { ...nftTransfer(0, address(1)), logIndex: 1 },
      nftTransfer(0, address(4)),
      { ...nftTransfer(0, address(6)), logIndex: 2, tokenId: 5n },
    ]
    await commitEvm(store, L1.name, 0, { ...plainBlock(0), transfers, nfts: [{ ...token, logIndex: 1 }] })
    // Hostile contracts speak one standard now and another one later.
    const transfer = { ...nftTransfer(1, address(2)), standard: 'ERC-1155' as const }
    const { owner: _, ...shared } = nft(1, address(2))
    const later = { ...shared, standard: 'ERC-1155' as const }
    await commitEvm(store, L1.name, 1, { ...plainBlock(1), transfers: [transfer], nfts: [later] })
    const found = async () => {
      const { standard, owner } = (await store.reader.nfts.find(NFTS, token.tokenId)) ?? {}
      return [standard, owner]
    }
    expect(await found()).toEqual(['ERC-1155', undefined])
    await store.writer.rewind(L1.name, 0n)
    expect(await found()).toEqual(['ERC-721', address(1)])
  })

  it('keep of a range what its first blocks brought, however often the range says it', async () => {
    const store = await opened(open)
    const token = address(0xdd)
    const nfts = [nft(0, address(1)), nft(1, address(2))]
    const evm: EvmRows = {
      blocks: [block(0), block(1)],
      transfers: [nftTransfer(0, address(1)), nftTransfer(1, address(2))],
      nfts,
      participants: [1n, 0n, 1n].map((height) => ({ address: address(1), height })),
      holdings: [0n, 1n].map((height) => ({ address: address(1), contract: token, height })),
      contracts: [
        { address: token, height: 0n, standard: 'ERC-20', name: 'Old', decimals: 6 },
        { address: token, height: 1n, symbol: 'T' },
      ],
    }
    await store.writer.commitRange(L1.name, { evm }, range(0, 1))
    const shown = async () => ({
      owner: (await store.reader.nfts.find(NFTS, 2n ** 255n))?.owner,
      chains: await store.reader.evm.chainsOf(address(1)),
      tokens: await store.reader.evm.touchedTokens(77n, address(1), 10),
      contracts: await store.reader.evm.contracts(77n, [token]),
    })
    const known = { address: token, standard: 'ERC-20', name: 'Old', symbol: 'T', decimals: 6 }
    const all = { owner: address(2), chains: [77n], tokens: [token], contracts: [known] }
    expect(await shown()).toEqual(all)
    await store.writer.rewind(L1.name, 0n)
    const kept = [expect.objectContaining({ address: token, name: 'Old' })]
    expect(await shown()).toEqual({ ...all, owner: address(1), contracts: kept })
    // The name that it gives itself now.
    await commitEvm(store, L1.name, 1, { contracts: [{ address: token, height: 1n, name: 'New' }] })
    expect((await shown()).contracts).toMatchObject([{ standard: 'ERC-20', name: 'New', decimals: 6 }])
  })

  it('go back to the fork and take the other branch', async () => {
    const store = await opened(open)
    const owners = [address(1), address(2), address(3)]
    for (const [height, owner] of owners.entries()) {
      await commitEvm(store, L1.name, height, {
        ...plainBlock(height),
        transfers: [nftTransfer(height, owner)],
        nfts: [nft(height, owner), ...(height === 2 ? [nft(2, owner, 5n)] : [])],
        participants: [{ address: owner, height: BigInt(height) }],
        holdings: [{ address: address(9), contract: owner, height: BigInt(height) }],
        contracts: [{ address: owner, height: BigInt(height), name: `${height}` }],
      })
    }
    expect((await store.reader.nfts.list(NFTS, { limit: 10 })).tokens.map((token) => token.owner)).toEqual([
      address(3),
      address(3),
    ])
    // What is summed up along a branch ends with it.
    await store.writer.commitRange(L1.name, {}, { ...range(3), state: '12' })
    expect((await store.writer.register(L1)).state).toBe('12')
    await store.writer.rewind(L1.name, 1n)
    expect((await store.writer.register(L1)).state).toBeUndefined()
    expect((await store.reader.nfts.list(NFTS, { limit: 10 })).tokens.map((token) => token.owner)).toEqual([address(2)])
    // What the last block that stays brought stays with it.
    expect(await Promise.all(owners.map(store.reader.evm.chainsOf))).toEqual([[77n], [77n], []])
    expect(await store.reader.evm.touchedTokens(77n, address(9), 10)).toEqual([address(1), address(2)])
    const names = (await store.reader.evm.contracts(77n, owners)).map(({ name }) => name)
    expect(names.sort()).toEqual(['0', '1'])
    expect((await store.reader.progress()).find(({ stream }) => stream === L1.name)?.tip).toMatchObject({ height: 1n })
    expect((await store.reader.evm.latestTransactions({ ...main, limit: 99 })).transactions).toHaveLength(4)
    const other = { ...range(2), blockId: id(99) }
    const evm = { blocks: [block(2, { hash: id(99) })] }
    await store.writer.commitRange(L1.name, { evm }, other)
    expect((await store.reader.progress()).find((entry) => entry.stream === L1.name)?.tip?.blockId).toBe(id(99))
    const primary = { name: 't:P', kind: 'primary' as const, network: 't', testnet: true, chain: 'P' as const }
    await store.writer.register(primary)
    await store.writer.commitRange('t:P', {}, range(0))
    await expect(store.writer.rewind('t:P', 0n)).rejects.toThrow('final')
  })
})

describeStores('two streams of one EVM chain', (open) => {
  it('are read as the one that goes on', async () => {
    const store = await opened(open)
    const again = { name: 't:C', kind: 'primary' as const, network: 't', testnet: true, chain: 'C' as const }
    await store.writer.register({ ...again, evmChainId: L1.evmChainId })
    const owners = async () => (await store.reader.nfts.list(NFTS, { limit: 10 })).tokens.map(({ owner }) => owner)
    const commitC = (height: number, evm: EvmRows) => store.writer.commitRange('t:C', { evm }, range(height))
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n)] })
    await commitC(0, { nfts: [nft(0, address(2), 7n)] })
    await store.writer.confirmTip(L1.name, tipAt(0))
    expect(await owners()).toEqual([address(1)])
    await commitC(1, { nfts: [nft(1, address(3), 7n)] })
    expect(await owners()).toEqual([address(1)])
    await new Promise((resolve) => setTimeout(resolve, 2))
    await store.writer.confirmTip('t:C', tipAt(1))
    expect(await owners()).toEqual([address(3)])
  })
})
