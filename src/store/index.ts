/**
 * All persistent data, in one SQL dialect: embedded Postgres (PGlite) or a Postgres server. One file per resource; no
 * table, row or driver is visible outside this folder.
 */

export { type Caller, hasEmbeddedDatabase } from './connection/index.ts'
export {
  NewerSchemaError,
  OtherNetworkError,
  RangeContentError,
  RangeGapError,
  RangeParentError,
  StoreLateError,
  StoreLockedError,
  StoreUnavailableError,
  StoreUnfitError,
} from './errors.ts'
export { ageOf, type IndexAge, indexAge, isTooOld, oldIndexText } from './index-age.ts'
export type { IndexWriter, Leadership } from './index-writer.ts'
export { differenceOf, type IndexedNetwork, type IndexedNetworks } from './network-identity.ts'
export type { DueKind, DueNft, FetchedMetadata, NftMetadataRecords } from './nft-metadata-records.ts'
export {
  type AliasRecords,
  type AuthRecords,
  type AuthState,
  type ChainAlias,
  type CheckedUser,
  type Credential,
  type EndpointAlias,
  KEPT_SECONDS,
  type KeystoreChange,
  type KeystoreEntry,
  type KeystoreRecords,
  type KeystoreUser,
  type Revocation,
} from './node-state/index.ts'
export type {
  Activity,
  AssetInfo,
  BalanceGroup,
  BalanceQuery,
  BlockCursor,
  BlockPage,
  ChainName,
  Collection,
  ContractInfo,
  EvmBlockCursor,
  EvmTransactionCursor,
  IndexReader,
  LatestQuery,
  ListedEvmBlock,
  ListedEvmTransaction,
  NftMetadata,
  NftToken,
  NumberedTransaction,
  PendingRewards,
  ProposedBlocksQuery,
  RewardSums,
  SampledL1Validator,
  SampledOutput,
  UtxoCursor,
  UtxoLife,
  UtxoListQuery,
  UtxoPage,
  UtxoRecord,
} from './read/index.ts'
export type * from './rows/index.ts'
export { openStore, type Store, type StoreOptions } from './store.ts'
export { keyOfId } from './utxo-key.ts'
