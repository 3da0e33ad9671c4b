import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { useServerStores } from '../../../support/store/server-stores.ts'
import { describeStores } from '../../../support/store/store.ts'
import { address, commitEvm, L1, NFTS, nft } from '../range-samples.ts'

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

  it('takes in a large collection that says that all changed some at a time, however often it says so, and others in between', async () => {
    const store = await open()
    await store.writer.register(L1)
    const [large, small] = [NFTS.contract, address(0xdd)]
    const many = (contract: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...nft(0, address(1), BigInt(n)), contract }))
    const all = [...many(large, 350), ...many(small, 3)]
    await commitEvm(store, L1.name, 0, { nfts: all })
    const take = async (limit = 1_000, without?: string[]) => {
      const due = await store.nftMetadata.takeDue(limit, 600, 'others', without)
      return due.map(({ contract, tokenId }) => `${contract === large ? 'large' : 'small'} ${tokenId}`).sort()
    }
    const names = (kind: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `${kind} ${from + n}`).sort()
    expect(await take()).toHaveLength(all.length)
    const told = (height: number, contract: string, from = 0n) => ({
      metadataChanges: [{ height: BigInt(height), contract, from, to: 2n ** 256n - 1n }],
    })
    await commitEvm(store, L1.name, 1, told(1, large))
    await commitEvm(store, L1.name, 2, told(2, small, 1n))
    // Of nobody who has no tokens anything is kept.
    await commitEvm(store, L1.name, 3, told(3, address(0xee)))
    expect(await take()).toEqual([...names('large', 0, 100), ...names('small', 1, 3)])
    // Said again by both: the large one goes on, and begins anew behind its end; nothing comes of one that is left out.
    await commitEvm(store, L1.name, 4, told(4, large, 340n))
    await commitEvm(store, L1.name, 5, told(5, large, 50n))
    await commitEvm(store, L1.name, 6, told(6, small))
    expect(await take(1_000, [large])).toEqual(names('small', 0, 3))
    const rest = [names('large', 100, 200), names('large', 200, 300), names('large', 300, 350)]
    expect([await take(), await take(), await take()]).toEqual(rest)
    const again = [names('large', 0, 100), names('large', 100, 200), names('large', 200, 300), names('large', 300, 350)]
    expect([await take(), await take(), await take(), await take(), await take()]).toEqual([...again, []])
  })

  it('takes in what thousands of ranges of one block name, those beyond its share, too', async () => {
    const store = await open()
    await store.writer.register(L1)
    const ids = [0, 7_497, 7_501, 7_503]
    const { contract } = NFTS
    const nfts = ids.map((tokenId) => nft(0, address(1), BigInt(tokenId)))
    const all = { height: 0n, contract, from: 0n, to: 2n ** 256n - 1n }
    await commitEvm(store, L1.name, 0, { nfts, metadataChanges: [all] })
    const take = async () => {
      const due = await store.nftMetadata.takeDue(10, 600, 'others')
      return due.map(({ tokenId }) => Number(tokenId)).sort((a, b) => a - b)
    }
    // Named by the block in which they are new, too, they are due once.
    expect(await take()).toEqual(ids)
    const pairs = Array.from({ length: 2_502 }, (_, n) => BigInt(3 * n))
    const metadataChanges = pairs.map((from) => ({ height: 1n, contract, from, to: from + 1n }))
    await commitEvm(store, L1.name, 1, { metadataChanges })
    expect(await take()).toEqual(ids)
    expect(await take()).toEqual([])
  })

  it('forgets none of what is said of a collection that waits for its turn, below and above', async () => {
    const store = await open()
    await store.writer.register(L1)
    const ids = [0n, 10_000n, 20_000n, 30_000n]
    await commitEvm(store, L1.name, 0, { nfts: ids.map((tokenId) => nft(0, address(1), tokenId)) })
    const take = async () => (await store.nftMetadata.takeDue(10, 600, 'others')).map(({ tokenId }) => tokenId)
    expect(await take()).toEqual(ids)
    const said: [bigint, bigint][] = [
      [10_000n, 20_000n],
      [0n, 10_000n],
      [20_000n, 30_000n],
    ]
    for (const [at, [from, to]] of said.entries()) {
      const height = BigInt(at + 1)
      await commitEvm(store, L1.name, at + 1, { metadataChanges: [{ ...NFTS, height, from, to }] })
    }
    expect(await take()).toEqual(ids.slice(1))
    expect(await take()).toEqual(ids)
    expect(await take()).toEqual([])
  })

  it('gives each of many large collections its turn before any has a second one', async () => {
    const store = await open()
    await store.writer.register(L1)
    const contracts = Array.from({ length: 21 }, (_, at) => address(0x40 + at))
    const tokens = contracts.flatMap((contract) =>
      Array.from({ length: 101 }, (_, n) => ({ ...nft(0, address(1), BigInt(n)), contract })),
    )
    await commitEvm(store, L1.name, 0, { nfts: tokens })
    const take = () => store.nftMetadata.takeDue(10_000, 600, 'others')
    expect(await take()).toHaveLength(tokens.length)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 60_000)
    const all = { height: 1n, from: 0n, to: 2n ** 256n - 1n }
    await commitEvm(store, L1.name, 1, { metadataChanges: contracts.map((contract) => ({ contract, ...all })) })
    clock.mockRestore()
    const first = await take()
    expect(new Set(first.map(({ contract }) => contract)).size).toBe(20)
    const second = await take()
    expect(new Set([...first, ...second].map(({ contract }) => contract)).size).toBe(21)
  })

  it('queues no more of large collections while those before them may not be taken, however often it is asked', async () => {
    const store = await open()
    await store.writer.register(L1)
    const [full, early, late] = [NFTS.contract, address(0xdd), address(0xee)]
    const some = (contract: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...nft(0, address(1), BigInt(n)), contract }))
    await commitEvm(store, L1.name, 0, { nfts: [...some(early, 350), ...some(late, 350)] })
    expect(await store.nftMetadata.takeDue(1_000, 600, 'others')).toHaveLength(700)
    const clock = vi.spyOn(Date, 'now')
    const now = Date.now()
    const saidAt = (agoMs: number) => clock.mockReturnValue(now - agoMs)
    const all = (height: number, contract: string) => ({
      metadataChanges: [{ height: BigInt(height), contract, from: 0n, to: 2n ** 256n - 1n }],
    })
    saidAt(120_000)
    await commitEvm(store, L1.name, 1, all(1, early))
    saidAt(60_000)
    await commitEvm(store, L1.name, 2, { nfts: some(full, 1_200) })
    saidAt(30_000)
    await commitEvm(store, L1.name, 3, all(3, late))
    clock.mockRestore()
    for (let turn = 0; turn < 3; turn++) expect(await store.nftMetadata.takeDue(10, 600, 'others', [full])).toEqual([])
    // The one turn of what was said before the others.
    const taken = await store.nftMetadata.takeDue(10_000, 600, 'others')
    const count = (of: string) => taken.filter(({ contract }) => contract === of).length
    expect([full, early, late].map(count)).toEqual([1_200, 100, 0])
  })

  it('takes a range that was said earlier before what is due later, however much that is', async () => {
    const store = await open()
    await store.writer.register(L1)
    await commitEvm(store, L1.name, 0, { nfts: [nft(0, address(1), 7n)] })
    expect(await store.nftMetadata.takeDue(10, 600, 'others')).toHaveLength(1)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 60_000)
    await commitEvm(store, L1.name, 1, {
      metadataChanges: [{ height: 1n, contract: NFTS.contract, from: 0n, to: 2n ** 256n - 1n }],
    })
    clock.mockRestore()
    const others = Array.from({ length: 50 }, (_, n) => ({ ...nft(2, address(1), BigInt(n)), contract: address(0xdd) }))
    await commitEvm(store, L1.name, 2, { nfts: others })
    const contracts = []
    for (let turn = 0; turn < 4; turn++)
      for (const { contract } of await store.nftMetadata.takeDue(10, 600, 'others')) contracts.push(contract)
    expect(contracts).toContain(NFTS.contract)
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

  it('takes in thousands of new ids in a row, as ERC-2309 mints them, once', async () => {
    const store = await open()
    await store.writer.register(L1)
    const nfts = Array.from({ length: 5_001 }, (_, n) => nft(0, address(1), BigInt(n)))
    const minted = nfts.map(({ height, contract, tokenId }) => ({ height, contract, from: tokenId, to: tokenId }))
    await commitEvm(store, L1.name, 0, { nfts, metadataChanges: minted })
    expect(await store.nftMetadata.takeDue(10_000, 600, 'others')).toHaveLength(5_001)
    expect(await store.nftMetadata.takeDue(10_000, 600, 'others')).toHaveLength(0)
  })
})

const { server, connect } = useServerStores({ statementTimeoutMs: 10_000 })

it('a token that is locked while its large collection has its turn holds nothing up, and has its own later', async () => {
  const url = await server().create('changed')
  const store = connect(url)
  await store.open()
  await store.writer.register(L1)
  await commitEvm(store, L1.name, 0, { nfts: [7n, 8n, 9n].map((tokenId) => nft(0, address(1), tokenId)) })
  const take = async () => (await store.nftMetadata.takeDue(10, 600, 'others')).map(({ tokenId }) => tokenId).sort()
  expect(await take()).toEqual([7n, 8n, 9n])
  const range = { contract: NFTS.contract, from: 0n, to: 2n ** 256n - 1n }
  await commitEvm(store, L1.name, 1, { metadataChanges: [{ height: 1n, ...range }] })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('begin')
  await other.query('select from evm_nft_metadata where token_id = 8 for update')
  expect(await take()).toEqual([7n, 9n])
  await other.query('rollback')
  expect(await take()).toContain(8n)
  expect((await other.query('select from evm_nft_changed')).rowCount).toBe(0)
})
