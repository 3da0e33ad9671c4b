import { Kysely, PostgresDialect } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import type { ConnectionPool } from '../../../src/store/connection/pool.ts'
import type { Store } from '../../../src/store/index.ts'
import { createChainNumbers } from '../../../src/store/read/chain-numbers.ts'
import type { Database } from '../../../src/store/schema/index.ts'
import { openMemoryStore } from '../../support/store/store.ts'
import {
  AVAX,
  address,
  block,
  commit,
  id,
  L1,
  listed,
  NFTS,
  nft,
  output,
  range,
  registerAll,
} from '../write/range-samples.ts'

/*
 * A process that serves outlives what it reads from: a new database takes the place of one that is built again, or a copy
 * that lacks the last ranges that of the primary. What stands behind a number may be something else then.
 */
const OTHER = { ...L1, name: 'eip155:78', evmChainId: 78n }

let store: Store | undefined
afterEach(() => store?.close())

async function opened() {
  const pools: ConnectionPool[] = []
  const open = await openMemoryStore((pool) => pools.push(pool))
  store = open
  const run = async (text: string): Promise<void> => {
    const client = await pools[0]?.patient.connect()
    await client?.query(text, [])
    client?.release()
  }
  const numbers = () =>
    createChainNumbers(
      new Kysely<Database>({ dialect: new PostgresDialect({ pool: (pools[0] as ConnectionPool).own }) }),
    )
  return { open, run, numbers }
}

const emptied = `truncate network, stream, network_identity, asset, block, tx, utxo, utxo_owner, evm_nft, evm_block,
  evm_transfer, evm_contract restart identity cascade`

it('tells the assets of the database that is there now', async () => {
  const { open, run } = await opened()
  const describe = async (assetId: string, symbol: string): Promise<void> => {
    await registerAll(open)
    const assets = [{ id: assetId, name: symbol, symbol, denomination: 0, type: 'secp256k1' as const, height: 0n }]
    await commit(open, 'testnet:X', 0, { blocks: [block(0)], assets, utxos: [output(1, 0, { assetId })] })
  }
  await describe(AVAX, 'AVAX')
  expect((await listed(open, 'X')).map(({ asset }) => asset.symbol)).toEqual(['AVAX'])
  await run(emptied)
  await describe(id(0xa2), 'OTHER')
  expect((await listed(open, 'X')).map(({ asset }) => asset.symbol)).toEqual(['OTHER'])
})

it('reads a chain where it stands now, once its progress was read', async () => {
  const { open, run } = await opened()
  const fill = async (streams: readonly (typeof L1)[]): Promise<void> => {
    for (const stream of streams) await open.writer.register(stream)
    await open.writer.commitRange(L1.name, { evm: { nfts: [nft(0, address(7))] } }, range(0))
    await open.writer.commitRange(OTHER.name, { evm: { nfts: [nft(0, address(8))] } }, range(0))
  }
  const owner = async (): Promise<string | undefined> => {
    await open.reader.progress()
    return (await open.reader.nfts.find(NFTS, 2n ** 255n))?.owner
  }
  await fill([L1, OTHER])
  expect(await owner()).toBe(address(7))
  await run(emptied)
  await fill([OTHER, L1])
  expect(await owner()).toBe(address(7))
  await run(emptied)
  await registerAll(open)
  expect(await owner().catch(({ message }: Error) => message)).toBe('chain 77 is not indexed here')
})

it('reads a chain from the stream that is ahead, also where that one was begun after the first look', async () => {
  const { open } = await opened()
  const owner = async (): Promise<string | undefined> => {
    await open.reader.progress()
    return (await open.reader.nfts.find(NFTS, 2n ** 255n))?.owner
  }
  await open.writer.register(L1)
  await open.writer.commitRange(L1.name, { evm: { nfts: [nft(0, address(7))] } }, range(0))
  expect(await owner()).toBe(address(7))
  const later = { ...L1, name: 'testnet:C' }
  await open.writer.register(later)
  const newer = { ...range(0), time: range(0).time + 1n }
  await open.writer.commitRange(later.name, { evm: { nfts: [nft(0, address(8))] } }, newer)
  expect(await owner()).toBe(address(8))
})

it('reads networks where they stand now', async () => {
  const { open, run } = await opened()
  const main = { kind: 'primary' as const, network: 'mainnet', testnet: false, name: 'mainnet:X', chain: 'X' as const }
  const found = async (): Promise<number> => {
    await open.reader.progress()
    return (await listed(open, 'X')).length
  }
  await registerAll(open)
  await commit(open, 'testnet:X', 0, { blocks: [block(0)], utxos: [output(1, 0)] })
  expect(await found()).toBe(1)
  await run(emptied)
  await open.writer.register(main)
  await registerAll(open)
  await commit(open, 'mainnet:X', 0, { blocks: [block(0)], utxos: [output(1, 0), output(2, 0)] })
  expect(await found()).toBe(0)
})

it('keeps nothing that the one of before tells once the other one is there', async () => {
  const { open, run, numbers: createNumbers } = await opened()
  await registerAll(open)
  await open.writer.register(L1)
  const numbers = createNumbers()
  numbers.heed([{ name: 'testnet:P', id: 1 }])
  const asked = [numbers.network('testnet'), numbers.evm(77n), numbers.stream(L1.name).then((one) => one?.id)]
  numbers.heed([])
  const before = await Promise.all(asked)
  await run(emptied)
  await open.writer.register({ kind: 'primary', network: 'mainnet', testnet: false, name: 'mainnet:X', chain: 'X' })
  await open.writer.register(OTHER)
  await registerAll(open)
  await open.writer.register(L1)
  const now = [await numbers.network('testnet'), await numbers.evm(77n), (await numbers.stream(L1.name))?.id]
  expect(now.map((number, at) => number === before[at])).toEqual([false, false, false])
})
