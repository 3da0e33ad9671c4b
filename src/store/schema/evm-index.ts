import type { Bytes, Int8, NullableBytes, NullableInt8, NullableNumeric, Numeric } from './column-types.ts'

/** Tables of the index of EVM chains. `stream` is the number of the stream, see table `stream`. */
export interface EvmIndexTables {
  evm_block: {
    stream: number
    height: Int8
    testnet: boolean
    hash: Bytes
    parent_hash: Bytes
    time: Int8
    time_ms: NullableInt8
    min_delay_excess: NullableInt8
    tx_count: number
    failed_count: number
    base_fee: Numeric
    gas_used: Numeric
    gas_limit: Numeric
    gas_cost: Numeric
    fees_spent: Numeric
    cumulative_transactions: Int8
  }
  evm_tx: {
    stream: number
    height: Int8
    position: number
    hash: Bytes
    sender: Bytes
    recipient: NullableBytes
    created_contract: NullableBytes
    value: Numeric
    success: boolean
    type: number
    gas_limit: Numeric
    gas_used: Numeric
    gas_price: Numeric
    nonce: Numeric
    selector: Bytes
  }
  evm_transfer: {
    stream: number
    height: Int8
    log_index: number
    batch_index: number
    tx_position: number
    standard: number
    contract: Bytes
    sender: Bytes
    recipient: Bytes
    token_id: NullableNumeric
    amount: Numeric
  }
  evm_contract: {
    address: Bytes
    stream: number
    height: Int8
    standard: number | null
    name: string | null
    symbol: string | null
    decimals: number | null
    creation_tx: NullableBytes
    creator: NullableBytes
  }
  evm_nft: {
    contract: Bytes
    stream: number
    token_id: Numeric
    standard: number
    owner: NullableBytes
    height: Int8
    log_index: number
    first_height: Int8
  }
  /** Collections of which more tokens changed than a commit queues, see `changed-nfts.ts`. */
  evm_nft_changed: {
    contract: Bytes
    stream: number
    low: Numeric
    high: Numeric
    next: Numeric
    again: boolean
    due_at: Int8
  }
  evm_nft_metadata: NftMetadataTable
  evm_participant: { address: Bytes; stream: number; first_height: Int8 }
  evm_holding: { address: Bytes; stream: number; contract: Bytes; first_height: Int8 }
  evm_untraced: { stream: number; low: Int8; high: Int8 }
}

export interface NftMetadataTable {
  contract: Bytes
  stream: number
  token_id: Numeric
  status: string
  token_uri: string | null
  name: string | null
  symbol: string | null
  image_uri: string | null
  description: string | null
  animation_uri: string | null
  external_url: string | null
  background: string | null
  attributes: string | null
  decimals: number | null
  properties: string | null
  /** Unix seconds of the last attempt, also a failed one. */
  updated_at: NullableInt8
  attempts: number
  /** Unix seconds from which a fetch is due; null = none. */
  due_at: NullableInt8
  /** Unix seconds of the last reindex that a client asked for. */
  reindexed_at: NullableInt8
  /** Height of the chain's index when the last attempt was stored. */
  height: NullableInt8
  host: string | null
}
