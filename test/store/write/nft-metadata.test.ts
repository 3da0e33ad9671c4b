import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { openVisibleStore } from '../../indexer/database-dump.ts'
import { useServerStores } from '../../support/store/server-stores.ts'
import { describeStores } from '../../support/store/store.ts'
import { address, commitEvm, id, L1, NFTS, nft, nftTransfer, tipAt } from './range-samples.ts'

async function opened(open: () => Promise<Store>): Promise<Store> {
  const store = await open()
  await store.writer.register(L1)
  return store
}

describeStores('NFT metadata', (open) => {
  it('is fetched once per turn, kept over failures, and reindexed once an hour', async () => {
    const store = await opened(open)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n), nft(0, address(1), 300n)] })
    const token = { ...NFTS, tokenId: 7n }
    expect(await store.nftMetadata.takeDue(10, 600, 'asked')).toEqual([])
    const due = await store.nftMetadata.takeDue(10, 600, 'others')
    const [taken] = due.filter(({ tokenId }) => tokenId === 7n)
    if (!taken) throw new Error('a token is due')
    const { stream, lease } = taken
    expect(taken).toEqual({ ...token, stream, standard: 'ERC-721', attempts: 0, asked: false, lease })
    expect(due).toHaveLength(2)
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toEqual([])
    const found = { status: 'INDEXED', tokenUri: 'ipfs://x', name: 'Seven', attributes: '[{"a":1}]' }
    await store.nftMetadata.store(taken, found)
    // Its turn is over: whatever comes of it has no say about the next one.
    await store.nftMetadata.store(taken, { status: 'UNREACHABLE_TOKEN_URI', retryAt: 1n })
    const read = await store.reader.nfts.find(NFTS, 7n)
    expect(read?.metadata).toMatchObject({ ...found, status: 'UNREACHABLE_TOKEN_URI' })
    expect(read?.metadata.updatedAt).toBeGreaterThan(1_000_000n)
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toEqual([])
    expect(await store.nftMetadata.requestReindex(token, 3_600)).toEqual({ found: true })
    const again = await store.nftMetadata.requestReindex(token, 3_600)
    expect(again.retryAfterSeconds).toBeGreaterThan(3_590)
    expect(await store.nftMetadata.requestReindex({ ...token, tokenId: 8n }, 3_600)).toEqual({ found: false })
    const [again7] = await store.nftMetadata.takeDue(10, 600, 'asked')
    expect(again7).toMatchObject({ ...token, asked: true })
    await commitEvm(store, L1.name, 1, {
      metadataChanges: [{ height: 1n, contract: nft(1, address(2), 7n).contract, from: 7n, to: 7n }],
    })
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toMatchObject([{ ...token, attempts: 0, asked: false }])
    const page = await store.reader.nfts.list(NFTS, { limit: 1 })
    expect([page.tokens[0]?.tokenId, page.nextTokenId]).toEqual([7n, 7n])
    const next = await store.reader.nfts.list(NFTS, { afterTokenId: 7n, limit: 1 })
    expect([next.tokens[0]?.tokenId, next.nextTokenId]).toEqual([300n, undefined])
  })
  it('of a page is no more than some megabytes, and every token is on one of them', async () => {
    const store = await opened(open)
    const ids = [1n, 2n, 3n, 4n, 5n]
    await commitEvm(store, L1.name, 0, { nfts: ids.map((tokenId) => nft(0, address(1), tokenId)) })
    const large = (letter: string) => letter.repeat(1_500_000)
    for (const token of await store.nftMetadata.takeDue(10, 600, 'others'))
      if (token.tokenId !== 4n)
        await store.nftMetadata.store(token, { status: 'INDEXED', attributes: large('a'), imageUri: 'data:image/x' })
    const pages: bigint[][] = []
    let afterTokenId: bigint | undefined
    do {
      const page = await store.reader.nfts.list(NFTS, { limit: 4, ...(afterTokenId ? { afterTokenId } : {}) })
      for (const { tokenId, metadata } of page.tokens)
        expect(metadata.attributes).toBe(tokenId === 4n ? undefined : large('a'))
      pages.push(page.tokens.map(({ tokenId }) => tokenId))
      afterTokenId = page.nextTokenId
    } while (afterTokenId !== undefined)
    expect(pages).toEqual([
      [1n, 2n, 3n],
      [4n, 5n],
    ])
  })
  it('is reindexed once an hour of the database, whatever time it is for the process that is asked', async () => {
    onTestFinished(() => void vi.useRealTimers())
    const store = await opened(open)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n)] })
    const ask = async (ahead: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 1_000 })
      const { retryAfterSeconds } = await store.nftMetadata.requestReindex({ ...NFTS, tokenId: 7n }, 3_600)
      vi.useRealTimers()
      return retryAfterSeconds
    }
    expect(await ask(86_400)).toBeUndefined()
    for (const ahead of [0, 86_400, -86_400]) {
      const wait = await ask(ahead)
      expect(wait).toBeGreaterThan(3_500)
      expect(wait).toBeLessThanOrEqual(3_600)
    }
  })
  it('is fetched again for a contract that says it of all tokens time and again, of each once', async () => {
    const store = await opened(open)
    const ids = [0n, 7n, 8n, 300n]
    await commitEvm(store, L1.name, 0, { nfts: ids.map((tokenId) => nft(0, address(1), tokenId)) })
    const { contract } = NFTS
    const fetched = async () => {
      for (const token of await store.nftMetadata.takeDue(10, 600, 'others'))
        await store.nftMetadata.store(token, { status: 'INDEXED' })
    }
    const told = async (height: number, ...ranges: (readonly [bigint, bigint])[]) => {
      await fetched()
      const metadataChanges = ranges.map(([from, to]) => ({ height: BigInt(height), contract, from, to }))
      await commitEvm(store, L1.name, height, { metadataChanges })
      const due = await store.nftMetadata.takeDue(10, 0, 'others')
      return due.map(({ tokenId }) => tokenId).sort((a, b) => Number(a - b))
    }
    const most = 2n ** 256n - 1n
    expect(await told(1, ...Array.from({ length: 5_000 }, () => [0n, most] as const))).toEqual(ids)
    expect(await told(2, [8n, 7n], [9n, 299n], [most, 0n])).toEqual([])
    expect(await told(3, [300n, most], [7n, 7n], [2n, 6n], [7n, 7n])).toEqual([7n, 300n])
    expect(await told(4, [0n, 0n], [8n, 8n], [most, most])).toEqual([0n, 8n])
    expect(await told(5, [8n, 8n], [0n, most], [0n, 7n])).toEqual(ids)
    // Blocks whose receipts were told wrongly say it when they are written anew.
    await fetched()
    const rows = { metadataChanges: [{ height: 5n, contract, from: 7n, to: 8n }] }
    await store.writer.rewriteTip(L1.name, { height: 5n, blockId: id(6) }, { above: 5n, rows, state: '' })
    const due = await store.nftMetadata.takeDue(10, 0, 'others')
    expect(new Set(due.map(({ tokenId }) => tokenId))).toEqual(new Set([7n, 8n]))
  })
  it('of a large collection holds up no block, however often it is told in one', async () => {
    const store = await opened(open)
    const tokens = Array.from({ length: 20_000 }, (_, tokenId) => nft(0, address(1), BigInt(tokenId)))
    await commitEvm(store, L1.name, 0, { nfts: tokens })
    expect(await store.nftMetadata.takeDue(20_000, 600, 'others')).toHaveLength(20_000)
    const told = (from: bigint, to: bigint) => ({ height: 1n, contract: NFTS.contract, from, to })
    // Every other one by itself, which are as many ranges. Each with each would be minutes, in which the chain stands.
    const even = Array.from({ length: 16_000 }, (_, i) => told(2n * BigInt(i), 2n * BigInt(i)))
    await commitEvm(store, L1.name, 1, { metadataChanges: even })
    expect(await store.nftMetadata.takeDue(30_000, 600, 'others')).toHaveLength(10_000)
    // That many fit into one block, too; they are one range, whose tokens have their turns later.
    const all = Array.from({ length: 8_000 }, () => told(0n, 2n ** 256n - 1n))
    await commitEvm(store, L1.name, 2, { metadataChanges: all })
    expect(await store.nftMetadata.takeDue(30_000, 600, 'others')).toHaveLength(100)
  })
  it('is fetched again after a fork if it may be of the dead branch, also by who fetches then', async () => {
    const store = await opened(open)
    for (const height of [0, 1, 2])
      await commitEvm(store, L1.name, height, { nfts: [nft(height, address(1), 7n + BigInt(height))] })
    const take = async () =>
      (await store.nftMetadata.takeDue(10, 600, 'others')).sort((a, b) => Number(a.tokenId - b.tokenId))
    const [first, second, third] = await take()
    if (!first || !second || !third) throw new Error('three tokens are due')
    await store.nftMetadata.store(first, { status: 'INDEXED' })
    await store.writer.rewind(L1.name, 1n)
    // The first was fetched at the dead block, the second one is being fetched, the third one is gone.
    await store.nftMetadata.store(second, { status: 'INDEXED' })
    const again = await take()
    expect(again.map(({ tokenId }) => tokenId)).toEqual([7n, 8n])
    for (const token of again) await store.nftMetadata.store(token, { status: 'INDEXED' })
    await commitEvm(store, L1.name, 2, {})
    await store.writer.rewind(L1.name, 1n)
    expect(await take()).toEqual([])
  })
  it('stays with a token that only moved on the dead branch', async () => {
    const store = await opened(open)
    for (const [height, owner] of [address(1), address(2)].entries())
      await commitEvm(store, L1.name, height, {
        transfers: [nftTransfer(height, owner)],
        nfts: [nft(height, owner)],
      })
    const [token] = await store.nftMetadata.takeDue(10, 600, 'others')
    if (!token) throw new Error('a token is due')
    await store.nftMetadata.store(token, { status: 'INDEXED', name: 'Alpine hut' })
    await store.writer.rewind(L1.name, 0n)
    const found = await store.reader.nfts.find(NFTS, token.tokenId)
    expect(found).toMatchObject({ owner: address(1), metadata: { status: 'INDEXED', name: 'Alpine hut' } })
  })
  it('is fetched again when it was asked for, or changed, while a fetch was under way', async () => {
    const store = await opened(open)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n), nft(0, address(1), 8n)] })
    const take = () => store.nftMetadata.takeDue(10, 600, 'others')
    const [first, second] = (await take()).sort((a, b) => Number(a.tokenId - b.tokenId))
    if (!first || !second) throw new Error('two tokens are due')
    expect(await store.nftMetadata.requestReindex(second, 3_600)).toEqual({ found: true })
    const changed = { height: 1n, contract: NFTS.contract, from: 7n, to: 8n }
    await commitEvm(store, L1.name, 1, { metadataChanges: [changed] })
    for (const token of [first, second]) await store.nftMetadata.store(token, { status: 'INDEXED', name: 'of before' })
    const [asked] = await store.nftMetadata.takeDue(10, 600, 'asked')
    expect(asked).toMatchObject({ tokenId: 8n, asked: true })
    const [other] = await take()
    expect(other).toMatchObject({ tokenId: 7n, asked: false })
    // Turns in which nothing was found out: who asked has his at once, others wait.
    if (!asked || !other) throw new Error('both are due')
    await store.nftMetadata.giveBack(other, 1_000)
    await store.nftMetadata.giveBack(asked, 1_000)
    expect(await store.nftMetadata.takeDue(10, 600, 'asked')).toMatchObject([{ tokenId: 8n, asked: true }])
    await store.nftMetadata.giveBack({ ...other, lease: 1n }, 0)
    expect(await take()).toEqual([])
    for (const token of [asked, other]) if (token) await store.nftMetadata.store(token, { status: 'INDEXED' })
    expect(await take()).toEqual([])
  })
  it('counts attempts from the last success, or from the last request for it', async () => {
    const store = await opened(open)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n)] })
    const take = async (leaseSeconds = 600) => {
      const others = await store.nftMetadata.takeDue(10, leaseSeconds, 'others')
      const [token, ...more] = [...others, ...(await store.nftMetadata.takeDue(10, leaseSeconds, 'asked'))]
      if (!token || more.length > 0) throw new Error('one token is due')
      return token
    }
    const counted: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const token = await take()
      counted.push(token.attempts)
      await store.nftMetadata.store(token, { status: 'UNREACHABLE_TOKEN_URI', retryAt: 1n })
    }
    expect(counted).toEqual([0, 1, 2])
    // Nor is a turn in which the chain could not be asked.
    for (let turn = 0; turn < 9; turn++) await store.nftMetadata.giveBack(await take(), 0)
    const fourth = await take()
    expect(fourth.attempts).toBe(3)
    await store.nftMetadata.giveBack(fourth, 0)
    expect(await store.nftMetadata.requestReindex({ ...NFTS, tokenId: 7n }, 0)).toEqual({ found: true })
    const first = await take()
    expect(first).toMatchObject({ attempts: 0, asked: true })
    // Nor is one in which the chain could not be asked while a user waits, though they are counted.
    await store.nftMetadata.giveBack({ ...first, attempts: 12 }, 0)
    const waited = await take()
    expect(waited).toMatchObject({ attempts: 12, asked: true })
    await store.nftMetadata.store(waited, { status: 'UNREACHABLE_TOKEN_URI', retryAt: 1n })
    expect(await take(0)).toMatchObject({ attempts: 1, asked: false })
    // Asked for while it is fetched; who fetches it then dies, and the one before succeeds.
    expect(await store.nftMetadata.requestReindex({ ...NFTS, tokenId: 7n }, 0)).toEqual({ found: true })
    await take(0)
    await store.nftMetadata.store(first, { status: 'INDEXED' })
    expect(await take()).toMatchObject({ attempts: 0, asked: false })
  })
  it('is that of one contract of one chain, wherever else the same address stands', async () => {
    const store = await opened(open)
    const [here, there] = [L1, { ...L1, name: 'eip155:78', evmChainId: 78n }]
    await store.writer.register(there)
    for (const { name } of [here, there]) {
      const contract = { address: NFTS.contract, height: 0n, name: `Contract of ${name}` }
      await commitEvm(store, name, 0, { nfts: [nft(0, address(1), 7n)], contracts: [contract] })
    }
    for (const token of await store.nftMetadata.takeDue(10, 600, 'others'))
      await store.nftMetadata.store(token, { status: 'INDEXED', name: `Token of eip155:${token.chainId}` })
    for (const { name, evmChainId } of [here, there])
      expect(await store.reader.nfts.find({ ...NFTS, chainId: evmChainId }, 7n)).toMatchObject({
        contract: { name: `Contract of ${name}` },
        metadata: { name: `Token of ${name}` },
      })
    // What another contract says about all of its own says nothing about this one's.
    const changes = [
      { height: 1n, contract: address(0xcb), from: 0n, to: 9n },
      { height: 1n, contract: NFTS.contract, from: 7n, to: 7n },
    ]
    await commitEvm(store, there.name, 1, { metadataChanges: changes })
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toMatchObject([{ chainId: 78n }])
  })
  it('is fetched once where two streams have the token, also for the one that does not go on', async () => {
    const store = await opened(open)
    const again = { name: 't:C', kind: 'primary' as const, network: 't', testnet: true, chain: 'C' as const }
    await store.writer.register({ ...again, evmChainId: L1.evmChainId })
    for (const name of [L1.name, again.name])
      await commitEvm(store, name, 0, { nfts: [nft(0, address(1), 7n), nft(0, address(1), 8n)] })
    await store.writer.confirmTip(L1.name, tipAt(0))
    const due = await store.nftMetadata.takeDue(10, 0, 'others')
    expect(due).toHaveLength(4)
    for (const token of due)
      if (token.tokenId === 7n) await store.nftMetadata.store(token, { status: 'INDEXED', name: 'Alpine hut' })
      else await store.nftMetadata.giveBack(token, 1_000)
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toEqual([])
    expect(await store.reader.nfts.find(NFTS, 7n)).toMatchObject({ metadata: { name: 'Alpine hut' } })
  })
})

it('may be asked for again when the time is over, or when the last request lies in a time to come', async () => {
  const { store, sql } = await openVisibleStore()
  onTestFinished(() => store.close())
  await store.writer.register(L1)
  await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n)] })
  const ask = async (secondsAgo: number) => {
    await sql(`update evm_nft_metadata set reindexed_at = floor(extract(epoch from clock_timestamp())) - ${secondsAgo}`)
    return store.nftMetadata.requestReindex({ ...NFTS, tokenId: 7n }, 3_600)
  }
  for (const secondsAgo of [3_600, 3_700, -100]) expect(await ask(secondsAgo)).toEqual({ found: true })
  const { retryAfterSeconds } = await ask(1_000)
  expect(retryAfterSeconds).toBeGreaterThan(2_500)
  expect(retryAfterSeconds).toBeLessThanOrEqual(2_600)
})

describe('several processes', () => {
  const stores = useServerStores({ statementTimeoutMs: 10_000 })
  it('share the queue: what one is about to take holds up no other', async () => {
    const url = await stores.server().create('queue')
    const store = stores.connect(url)
    await store.open()
    await store.writer.register(L1)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n), nft(0, address(1), 8n)] })
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin')
    await other.query('select from evm_nft_metadata where token_id = 7 for update')
    expect(await store.nftMetadata.takeDue(1, 600, 'others')).toMatchObject([{ tokenId: 8n }])
    await other.query('rollback')
    expect(await store.nftMetadata.takeDue(1, 600, 'others')).toMatchObject([{ tokenId: 7n }])
  })
})
