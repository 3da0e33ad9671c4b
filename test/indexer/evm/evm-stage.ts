import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import { createEvmStream } from '../../../src/indexer/evm/index.ts'
import { type AnyStream, createIndexer, type Indexer } from '../../../src/indexer/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { createUpstreamPool, type UpstreamPool } from '../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { openVisibleStore, type Sql } from '../database-dump.ts'

export interface EvmStage {
  store: Store
  readonly indexer: Indexer
  sql: Sql
  /** Begins anew on the same store, as another process would. */
  again(): void
  /** Resolves once the block of this height and hash is the stored tip and nothing is in doubt. */
  at(block: { number: string; hash: string }): Promise<void>
}

/** An EVM chain, indexed into a database in memory; the first server is asked first. Everything ends with the test. */
export const startEvmStage = (urls: string | readonly string[], chainId: number): Promise<EvmStage> =>
  startStreamStage(`eip155:${chainId}`, urls, (pool, store) => {
    return createEvmStream({
      definition: { name: `eip155:${chainId}`, kind: 'evm', testnet: true, evmChainId: BigInt(chainId) },
      pool,
      path: '',
      writer: store.writer,
    })
  })

/** The same with any stream over these servers; `streamOf` is called for each process. */
export async function startStreamStage(
  name: string,
  urls: string | readonly string[],
  streamOf: (pool: UpstreamPool, store: Store) => AnyStream,
): Promise<EvmStage> {
  const servers = [urls].flat().map((url, priority) => ({ url, priority }))
  const pool = createUpstreamPool(name, servers, TEST_LIMITS)
  const { store, sql } = await openVisibleStore()
  const times = { pollMs: 20, retryMs: 10, maxRetryMs: 100 }
  const begin = () => {
    const streams = [streamOf(pool, store)]
    const indexer = createIndexer({ writer: store.writer, streams, logger: pino({ level: 'silent' }), times })
    indexer.start()
    return indexer
  }
  let indexer = begin()
  onTestFinished(async () => {
    await indexer.stop()
    await store.close()
    await pool.close()
  })
  const at: EvmStage['at'] = ({ number, hash }) =>
    eventually(async () => {
      const stored = (await store.reader.progress()).find(({ stream }) => stream === name)
      expect(stored?.tip).toMatchObject({ height: BigInt(number), blockId: hash.slice(2) })
      expect(indexer.status().streams[0]).toMatchObject({ height: BigInt(number), phase: 'following' })
    })
  return {
    store,
    get indexer() {
      return indexer
    },
    sql,
    at,
    again() {
      indexer = begin()
    },
  }
}

/** Everything that is indexed of EVM chains; moments of our own clock left out. */
const TABLES: Record<string, string> = {
  evm_block: 'select * from evm_block order by height',
  evm_tx: 'select * from evm_tx order by height, position',
  evm_transfer: 'select * from evm_transfer order by height, log_index, batch_index',
  evm_contract: 'select * from evm_contract order by address',
  evm_nft: 'select * from evm_nft order by contract, token_id',
  evm_nft_metadata: 'select contract, token_id, status from evm_nft_metadata order by contract, token_id',
  evm_participant: 'select * from evm_participant order by address',
  evm_holding: 'select * from evm_holding order by address, contract',
  stream: 'select name, evm_chain_id, height, block_id, block_time, transactions, state from stream',
}

export async function dumpEvm(sql: Sql): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {}
  for (const [table, query] of Object.entries(TABLES))
    dump[table] = (await sql(query)).map((row) =>
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    )
  return dump
}
