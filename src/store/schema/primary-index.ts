import { type ColumnType, type Generated, type JSONColumnType, sql } from 'kysely'
import type { Bytes, Int8, NullableBytes, NullableInt8, NullableNumeric, Numeric } from './column-types.ts'

/** End of an open interval; also the literal in partial indexes, so it is never passed as a parameter. */
export const OPEN_END = 9_223_372_036_854_775_807n
/** The same as a literal of SQL: a parameter would keep the planner from using the partial indexes. */
export const openEnd = sql.raw(String(OPEN_END))

/** jsonb of an owner set: `{threshold, locktime: "…", addresses: [hex]}`. */
export interface StoredOwners {
  threshold: number
  locktime: string
  addresses: string[]
}
type Owners = JSONColumnType<StoredOwners, string, string>
type NullableOwners = ColumnType<StoredOwners | null, string | null, string | null>

/** jsonb of a subnet's conversion to an L1. */
export interface StoredConversion {
  id: string
  managerChainId: string
  managerAddress: string
  height: string
}
type NullableConversion = ColumnType<StoredConversion | null, string | null, string | null>

/** Tables of the index of P, X and C. `chain` = network · 4 + letter, see `codes.ts`. */
export interface PrimaryIndexTables {
  network: { id: number; name: string; testnet: boolean }
  network_identity: { network: number; network_id: Int8; x_chain_id: Bytes; c_chain_id: Bytes; avax_asset_id: Bytes }
  stream: {
    id: number
    name: string
    network: number | null
    evm_chain_id: NullableInt8
    testnet: boolean
    height: NullableInt8
    block_id: NullableBytes
    block_time: NullableInt8
    transactions: Generated<bigint>
    state: string | null
    current_at_ms: Int8
  }
  block: {
    chain: number
    height: Int8
    id: Bytes
    parent_id: Bytes
    outer_id: NullableBytes
    outer_parent_id: NullableBytes
    type: string
    time: Int8
    time_ms: NullableInt8
    size: number
    tx_count: number
    tx_ids: Bytes
    atomic_tx_ids: Bytes
    proposer: NullableBytes
    proposer_height: NullableInt8
    proposer_time: NullableInt8
    current_supply: NullableNumeric
    l1_fees: NullableNumeric
    l1_validators: number | null
  }
  container: { chain: number; position: Int8; id: Bytes; height: Int8; bytes: Bytes; accepted_at: string }
  tx: { chain: number; sequence: Int8; id: Bytes; height: Int8; position: number; type: number; time: Int8 }
  asset: {
    number: Generated<number>
    network: number
    id: Bytes
    name: string | null
    symbol: string | null
    denomination: number | null
    type: string | null
    height: NullableInt8
  }
  utxo: UtxoTable
  utxo_owner: UtxoOwnerTable
  staker: StakerTable
  staker_owner: { address: Bytes; network: number; tx_id: Bytes; role: number }
  subnet: { network: number; id: Bytes; height: Int8; owner: Owners; conversion: NullableConversion }
  blockchain: { network: number; id: Bytes; subnet_id: Bytes; name: string; vm_id: Bytes; height: Int8 }
  l1_validator: {
    network: number
    validation_id: Bytes
    subnet_id: Bytes
    node_id: Bytes
    public_key: Bytes
    weight: Numeric
    min_nonce: Numeric
    start_time: Int8
    end_accumulated_fee: Numeric
    remaining_balance_owner: Owners
    deactivation_owner: Owners
    height: Int8
  }
}

/**
 * One row per UTXO. Columns of creation are null while only its consumption is known (import indexed before export).
 */
export interface UtxoTable {
  network: number
  utxo: string
  tx_id: Bytes
  output_index: Int8
  asset: number | null
  kind: number | null
  amount: NullableNumeric
  /** All owners' addresses, concatenated. */
  addresses: NullableBytes
  threshold: NullableInt8
  locktime: NullableNumeric
  stakeable_locktime: NullableNumeric
  /** Letter of the chain that created it, and of the one that can consume it. */
  chain: number | null
  consumable_on: number | null
  created_height: NullableInt8
  created_time: NullableInt8
  group_id: NullableInt8
  payload: NullableBytes
  stake_start: NullableInt8
  stake_end: NullableInt8
  staked_until: NullableInt8
  reward_type: number | null
  reward_tx: NullableBytes
  reward_height: NullableInt8
  consumed_by: NullableBytes
  consumed_height: NullableInt8
  consumed_time: NullableInt8
  signatures: NullableBytes
}

/** One row per UTXO, owner and chain in whose lists it appears, with everything that sums and sorts need. */
export interface UtxoOwnerTable {
  address: Bytes
  chain: number
  created_time: Int8
  utxo: string
  consumed_time: Int8
  amount: Numeric
  asset: number
  kind: number
  other_chain: number
  direction: number
  owners: number
  threshold: Int8
  locktime: Numeric
  stakeable_locktime: NullableNumeric
  stake_start: NullableInt8
  stake_end: NullableInt8
  staked_until: NullableInt8
  reward_type: number | null
  /** See `utxo-origin.ts`; null if `utxo` has more data, and for entries older than the column. */
  origin: NullableBytes
}

export interface StakerTable {
  network: number
  tx_id: Bytes
  kind: number
  subnet_id: Bytes
  node_id: Bytes
  weight: Numeric
  start_time: Int8
  end_time: Int8
  pending: boolean
  first_stake_output: Int8
  stake_outputs: number
  height: Int8
  time: Int8
  potential_reward: Numeric
  potential_net: Numeric
  delegation_shares: number | null
  accrued_fees: Numeric
  rewards_owner: NullableOwners
  fees_owner: NullableOwners
  ended_height: NullableInt8
  ended_time: NullableInt8
  outcome: string | null
  reward_tx: NullableBytes
  reward_height: NullableInt8
}
