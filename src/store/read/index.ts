/**
 * Queries of the index: one file per resource, each list one range of one index per address or chain, paged by the last
 * entry seen. docs/store.md names the index behind every query.
 */
import type { Kysely } from 'kysely'
import type { Caller } from '../connection/index.ts'
import { findIdentity, type IndexedNetworks } from '../network-identity.ts'
import type { StreamProgress } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import { readProgress } from '../write/stream-rows.ts'
import { type ActivityQueries, createActivityQueries } from './activity-queries.ts'
import { type AssetQueries, createAssetQueries } from './asset-queries.ts'
import { type BalanceQueries, createBalanceQueries } from './balance-queries.ts'
import { type BlockQueries, createBlockQueries } from './block-queries.ts'
import { type BlockchainQueries, createBlockchainQueries } from './blockchain-queries.ts'
import type { ChainNumbers } from './chain-numbers.ts'
import { type ContainerQueries, createContainerQueries } from './container-queries.ts'
import { createEvmQueries, type EvmQueries } from './evm-queries.ts'
import { createNftQueries, type NftQueries } from './nft-queries.ts'
import { createRewardQueries, type RewardQueries } from './reward-queries.ts'
import { createSampleQueries, type SampleQueries } from './sample-queries.ts'
import { createUtxoQueries, type UtxoQueries } from './utxos/utxo-queries.ts'

export type { Activity, ActivityQueries } from './activity-queries.ts'
export type { BalanceGroup, BalanceQueries, BalanceQuery } from './balance-queries.ts'
export type { BlockCursor, BlockPage, BlockQueries, ProposedBlocksQuery } from './block-queries.ts'
export { type ChainName, type ChainNumbers, createChainNumbers } from './chain-numbers.ts'
export type { ContainerQueries, NumberedTransaction } from './container-queries.ts'
export type {
  ContractInfo,
  EvmBlockCursor,
  EvmQueries,
  EvmTransactionCursor,
  LatestQuery,
  ListedEvmBlock,
  ListedEvmTransaction,
} from './evm-queries.ts'
export type { Collection, NftMetadata, NftQueries, NftToken } from './nft-queries.ts'
export type { PendingRewards, RewardQueries, RewardSums } from './reward-queries.ts'
export type { SampledL1Validator, SampledOutput } from './sample-queries.ts'
export type { UtxoLife } from './utxos/utxo-lives.ts'
export type { UtxoCursor, UtxoListQuery, UtxoPage, UtxoQueries } from './utxos/utxo-queries.ts'
export type { AssetInfo, UtxoRecord } from './utxos/utxo-record.ts'

/** The reading side of the index. Queries of one chain reject with NotFoundError if it was never indexed. */
export interface IndexReader {
  /** The progress of each stream. */
  progress(): Promise<StreamProgress[]>
  readonly networks: IndexedNetworks
  readonly assets: AssetQueries
  readonly utxos: UtxoQueries
  readonly balances: BalanceQueries
  readonly activity: ActivityQueries
  readonly blocks: BlockQueries
  readonly containers: ContainerQueries
  readonly blockchains: BlockchainQueries
  readonly rewards: RewardQueries
  readonly evm: EvmQueries
  readonly nfts: NftQueries
  readonly samples: SampleQueries
}

/**
 * @param dbOf the same database on behalf of a caller, whose turns it uses: for reads that take longer the more
 * addresses own
 */
export function createIndexReader(
  db: Kysely<Database>,
  dbOf: (caller: Caller) => Kysely<Database>,
  numbers: ChainNumbers,
): IndexReader {
  const owned = { numbers, dbFor: (caller: Caller | undefined) => (caller === undefined ? db : dbOf(caller)) }
  return {
    progress: () => readProgress(db, numbers.heed),
    assets: createAssetQueries(db, numbers),
    networks: { find: (name) => findIdentity(db, name) },
    utxos: createUtxoQueries(db, owned),
    balances: createBalanceQueries(owned),
    activity: createActivityQueries(owned),
    blocks: createBlockQueries(db, numbers),
    containers: createContainerQueries(db, owned),
    blockchains: createBlockchainQueries(db, numbers),
    rewards: createRewardQueries(owned),
    evm: createEvmQueries(db, owned),
    nfts: createNftQueries(db, numbers),
    samples: createSampleQueries(db, numbers),
  }
}
