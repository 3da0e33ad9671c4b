import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** The index of EVM chains: blocks, transactions, transfers, contracts, NFTs, and participants. */
export const up = (db: Kysely<unknown>): Promise<void> => run(db, [...CHAIN, ...TOKENS, ...ADDRESSES])

const CHAIN = [
  `create table evm_block (
    stream int2 not null, height int8 not null, testnet boolean not null, hash bytea not null, parent_hash bytea not null,
    time int8 not null, time_ms int8, min_delay_excess int8, tx_count int4 not null, failed_count int4 not null,
    base_fee numeric(78) not null, gas_used numeric(20) not null, gas_limit numeric(20) not null,
    gas_cost numeric(78) not null, fees_spent numeric(78) not null, cumulative_transactions int8 not null,
    primary key (stream, height))`,
  `create index evm_block_latest on evm_block (testnet, time, stream, height)`,
  `create index evm_block_with_success on evm_block (testnet, time, stream, height) where tx_count > failed_count`,
  `create index evm_block_with_failure on evm_block (testnet, time, stream, height) where failed_count > 0`,
  `create table evm_tx (
    stream int2 not null, height int8 not null, position int4 not null, hash bytea not null, sender bytea not null,
    recipient bytea, created_contract bytea, value numeric(78) not null, success boolean not null, type int2 not null,
    gas_limit numeric(20) not null, gas_used numeric(20) not null, gas_price numeric(78) not null,
    nonce numeric(20) not null, selector bytea not null, primary key (stream, height, position))`,
]

const TOKENS = [
  `create table evm_transfer (
    stream int2 not null, height int8 not null, log_index int4 not null, batch_index int4 not null,
    tx_position int4 not null, standard int2 not null, contract bytea not null, sender bytea not null,
    recipient bytea not null, token_id numeric(78), amount numeric(78) not null,
    primary key (stream, height, log_index, batch_index))`,
  `create index evm_transfer_by_nft on evm_transfer (contract, stream, token_id, height, log_index, batch_index)
    where token_id is not null`,
  `create table evm_contract (
    address bytea not null, stream int2 not null, height int8 not null, standard int2, name text, symbol text,
    decimals int2, creation_tx bytea, creator bytea, primary key (address, stream))`,
  `create index evm_contract_by_height on evm_contract (stream, height)`,
  `create table evm_nft (
    contract bytea not null, stream int2 not null, token_id numeric(78) not null, standard int2 not null, owner bytea,
    height int8 not null, log_index int4 not null, first_height int8 not null,
    primary key (contract, stream, token_id))`,
  `create index evm_nft_by_height on evm_nft (stream, height)`,
  `create table evm_nft_metadata (
    contract bytea not null, stream int2 not null, token_id numeric(78) not null, status text not null,
    token_uri text, name text, symbol text, image_uri text, description text, animation_uri text, external_url text,
    background text, attributes text, decimals int2, properties text,
    updated_at int8, attempts int4 not null default 0, due_at int8, reindexed_at int8, host text,
    primary key (contract, stream, token_id))`,
  `create index evm_nft_metadata_due on evm_nft_metadata (due_at, contract, stream, token_id) where due_at is not null`,
]

const ADDRESSES = [
  `create table evm_participant (
    address bytea not null, stream int2 not null, first_height int8 not null, primary key (address, stream))`,
  `create index evm_participant_by_height on evm_participant (stream, first_height)`,
  `create table evm_holding (
    address bytea not null, stream int2 not null, contract bytea not null, first_height int8 not null,
    primary key (address, stream, contract))`,
  `create index evm_holding_by_height on evm_holding (stream, first_height)`,
]
