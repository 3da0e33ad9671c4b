import { expect, it, onTestFinished } from 'vitest'
import type { EvmRows, Store } from '../../../../src/store/index.ts'
import { dumpTable, openVisibleStore, type Row, type Sql } from '../../../indexer/database-dump.ts'
import { address, evmBlock, id, L1, NFTS, range, tipAt } from '../range-samples.ts'

const OTHER = { ...L1, name: 'eip155:78', evmChainId: 78n }
const COLLECTIONS = [NFTS.contract, address(0xcd)]
const TABLES = [
  ...['evm_block', 'evm_tx', 'evm_transfer', 'evm_contract', 'evm_participant', 'evm_holding', 'evm_untraced'],
  ...['evm_nft', 'evm_nft_metadata'],
]

/**
 * Block of a chain in which everything happens: the same tokens of two collections move in each block, twice in one, and
 * one token of each is new, as are a contract, somebody who takes part and what somebody holds. What is new in one
 * collection has been in the other one for two blocks.
 */
function rowsOf(height: number, chain: number): EvmRows {
  const at = BigInt(height)
  const owner = (log: number) => address(1_000 * chain + 10 * height + log)
  const moves = COLLECTIONS.flatMap((contract, place) =>
    [9n, 9n, at + 2n * BigInt(place)].map((tokenId, log) => ({
      contract,
      tokenId,
      logIndex: 3 * place + log,
      to: owner(3 * place + log),
    })),
  )
  const standard = 'ERC-721' as const
  return {
    blocks: [evmBlock(height)],
    transactions: [transaction(height)],
    transfers: moves.map((move) => ({
      ...move,
      height: at,
      batchIndex: 0,
      txIndex: 0,
      standard,
      from: address(0),
      amount: 1n,
    })),
    nfts: moves.map(({ to, ...move }) => ({ ...move, owner: to, standard, height: at, firstHeight: at })),
    contracts: [{ address: address(100 + height), height: at, standard: 'ERC-20' }],
    participants: [1, 100 + height].map((who) => ({ address: address(who), height: at })),
    holdings: [1, 100 + height].map((what) => ({ address: address(1), contract: address(what), height: at })),
    untraced: [at],
  }
}

const transaction = (height: number) => ({
  ...{ height: BigInt(height), index: 0, hash: id(1_000 + height), from: address(1), to: address(2), value: 1n },
  ...{ success: true, type: 2, gasLimit: 21_000n, gasUsed: 21_000n, gasPrice: 30n, nonce: 4n, selector: 'a9059cbb' },
})

async function opened(): Promise<{ store: Store; sql: Sql }> {
  const { store, sql } = await openVisibleStore()
  onTestFinished(() => store.close())
  for (const stream of [L1, OTHER]) await store.writer.register(stream)
  return { store, sql }
}

const add = (store: Store, name: string, height: number): Promise<void> =>
  store.writer.commitRange(name, { evm: rowsOf(height, name === L1.name ? 1 : 2) }, range(height))

/** Tables of one chain. */
async function tablesOf(sql: Sql, name: string): Promise<Record<string, Row[]>> {
  const [stream] = await sql(`select * from stream where name = '${name}'`)
  const all: Record<string, Row[]> = { stream: stream ? [stream] : [] }
  for (const table of TABLES)
    all[table] = (await dumpTable(sql, table)).filter((row) => String(row['stream']) === String(stream?.['id']))
  return all
}

/** Metadata may be fetched again: what chains and forks share is which tokens there is any of. */
const tokensOf = ({ stream: _, evm_nft_metadata: rows = [], ...tables }: Record<string, Row[]>) => ({
  ...tables,
  metadata: rows.map((row) => `${row['contract']}:${row['token_id']}`).sort(),
})

it('a branch that is left leaves nothing behind, and takes nothing of another chain with it', async () => {
  const { store, sql } = await opened()
  for (const height of [0, 1]) await add(store, L1.name, height)
  for (const height of [0, 1, 2, 3]) await add(store, OTHER.name, height)
  for (const token of await store.nftMetadata.takeDue(100, 600, 'others'))
    await store.nftMetadata.store(token, { status: 'INDEXED' })
  const [before, other] = [await tablesOf(sql, L1.name), await tablesOf(sql, OTHER.name)]
  for (const height of [2, 3]) await add(store, L1.name, height)
  await store.writer.rewind(L1.name, 1n)
  expect(tokensOf(await tablesOf(sql, L1.name))).toEqual(tokensOf(before))
  expect(await tablesOf(sql, OTHER.name)).toEqual(other)
  const tipOf = async (name: string) => (await store.reader.progress()).find(({ stream }) => stream === name)
  // What is left is as old as its last block.
  const tip = { height: 1n, blockId: id(2), time: 1_001n }
  expect(await tipOf(L1.name)).toMatchObject({ tip, currentAtMs: 1_001_000n })
  // To where it stands, or to what is still ahead of it, a chain does not go back.
  await store.writer.commitRange(L1.name, {}, { ...range(2), state: '12' })
  const stands = await tablesOf(sql, L1.name)
  for (const height of [2n, 5n]) await store.writer.rewind(L1.name, height)
  expect(await tablesOf(sql, L1.name)).toEqual(stands)
})

it('forgets the names of contracts that moved above the fork: who has none on the new branch would keep that of the dead one', async () => {
  const { store, sql } = await opened()
  const named = { height: 0n, name: 'Given', symbol: 'GVN', decimals: 6 }
  for (const { name } of [L1, OTHER]) {
    const rows = rowsOf(0, name === L1.name ? 1 : 2)
    const contracts = [NFTS.contract, address(100)].map((one) => ({ address: one, ...named }))
    await store.writer.commitRange(name, { evm: { ...rows, contracts } }, range(0))
    await add(store, name, 1)
  }
  await store.writer.rewind(L1.name, 0n)
  const namesOf = (name: string) =>
    sql(`select c.name, c.symbol, c.decimals from evm_contract c join stream s on s.id = c.stream
      where s.name = '${name}' and c.address in ('\\x${NFTS.contract}', '\\x${address(100)}') order by c.name`)
  const { height: _, ...given } = named
  expect(await namesOf(L1.name)).toEqual([given, { name: null, symbol: null, decimals: null }])
  expect(await namesOf(OTHER.name)).toEqual([given, given])
})

it('a chain that begins with another block begins anew', async () => {
  const { store, sql } = await opened()
  for (const { name } of [L1, OTHER]) await add(store, name, 0)
  const other = await tablesOf(sql, OTHER.name)
  await store.writer.rewind(L1.name, -1n)
  const { stream: _, ...tables } = await tablesOf(sql, L1.name)
  expect(Object.values(tables).flat()).toEqual([])
  expect(await tablesOf(sql, OTHER.name)).toEqual(other)
  const begun = await store.writer.register(L1)
  expect([begun.tip, begun.currentAtMs]).toEqual([undefined, 0n])
  // Nothing is left to go back from.
  await store.writer.rewind(L1.name, 0n)
  await add(store, L1.name, 0)
  expect((await store.writer.register(L1)).tip).toMatchObject({ height: 0n })
})

it('blocks at the tip that are written anew change nothing else, and no other chain', async () => {
  const { store, sql } = await opened()
  for (const { name } of [L1, OTHER]) for (const height of [0, 1, 2]) await add(store, name, height)
  const [before, other] = [await tablesOf(sql, L1.name), await tablesOf(sql, OTHER.name)]
  await store.writer.rewriteTip(L1.name, tipAt(2), { above: 1n, rows: rowsOf(2, 1), state: '' })
  expect(tokensOf(await tablesOf(sql, L1.name))).toEqual(tokensOf(before))
  expect(await tablesOf(sql, OTHER.name)).toEqual(other)
})

it('traces that are told later fill the gaps of their own chain', async () => {
  const { store, sql } = await opened()
  for (const { name } of [L1, OTHER]) for (const height of [0, 1, 2]) await add(store, name, height)
  const other = await tablesOf(sql, OTHER.name)
  await store.writer.fillTraces(L1.name, {
    from: 1n,
    to: tipAt(2),
    participants: [{ address: address(77), height: 1n }],
  })
  expect(await store.writer.untraced(L1.name, 10)).toMatchObject({ missing: 1n, blocks: [{ height: 0n }] })
  expect(await tablesOf(sql, OTHER.name)).toEqual(other)
})
