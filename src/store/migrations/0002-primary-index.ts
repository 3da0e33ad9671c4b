import type { Kysely } from 'kysely'
import { OPEN_END } from '../schema/primary-index.ts'
import { run } from './statements.ts'

/**
 * The index of P, X and C: streams with their progress, blocks, transactions, UTXOs as intervals, stakers and L1s.
 * docs/store.md lists the queries of each index and how the tables are distributed over many machines.
 */
export const up = (db: Kysely<unknown>): Promise<void> => run(db, [...CHAINS, ...UTXOS, ...STAKING])

const CHAINS = [
  `create table network (id int2 primary key, name text not null unique, testnet boolean not null)`,
  `create table stream (
    id int2 primary key, name text not null unique, network int2 references network, evm_chain_id int8,
    testnet boolean not null, height int8, block_id bytea, block_time int8, transactions int8 not null default 0,
    state text, current_at_ms int8 not null)`,
  `create table block (
    chain int2 not null, height int8 not null, id bytea not null, parent_id bytea not null,
    outer_id bytea, outer_parent_id bytea, type text not null, time int8 not null, time_ms int8, size int4 not null,
    tx_count int4 not null, tx_ids bytea not null, atomic_tx_ids bytea not null,
    proposer bytea, proposer_height int8, proposer_time int8,
    current_supply numeric(20), l1_fees numeric(20), l1_validators int4,
    primary key (chain, height))`,
  `create index block_by_id on block (id, chain)`,
  `create index block_by_outer_id on block (outer_id, chain) where outer_id is not null`,
  `create index block_by_proposer on block (proposer, chain, time, height) where proposer is not null`,
  `create table container (
    chain int2 not null, position int8 not null, id bytea not null, height int8 not null, bytes bytea not null,
    accepted_at text not null, primary key (chain, position))`,
  `create index container_by_id on container (id, chain)`,
  `create table tx (
    chain int2 not null, sequence int8 not null, id bytea not null, height int8 not null, position int4 not null,
    type int2 not null, time int8 not null, primary key (chain, sequence))`,
  `create index tx_by_id on tx (id, chain)`,
]

const UTXOS = [
  `create table asset (
    number int4 generated always as identity primary key, network int2 not null, id bytea not null,
    name text, symbol text, denomination int2, type text, height int8, unique (network, id))`,
  // A consumption changes no indexed column here; the free space keeps the new version of the row on the same page.
  `create table utxo (
    network int2 not null, utxo uuid not null, tx_id bytea not null, output_index int8 not null,
    asset int4, kind int2, amount numeric(20), addresses bytea, threshold int8, locktime numeric(20),
    stakeable_locktime numeric(20), chain int2, consumable_on int2, created_height int8, created_time int8,
    group_id int8, payload bytea, stake_start int8, stake_end int8, staked_until int8,
    reward_type int2, reward_tx bytea, reward_height int8,
    consumed_by bytea, consumed_height int8, consumed_time int8, signatures bytea,
    primary key (network, utxo)) with (fillfactor = 80)`,
  `create table utxo_owner (
    address bytea not null, chain int2 not null, created_time int8 not null, utxo uuid not null,
    consumed_time int8 not null default ${OPEN_END}, amount numeric(20) not null, asset int4 not null,
    kind int2 not null, other_chain int2 not null, direction int2 not null,
    owners int2 not null, threshold int8 not null, locktime numeric(20) not null, stakeable_locktime numeric(20),
    stake_start int8, stake_end int8, staked_until int8, reward_type int2,
    primary key (address, chain, created_time, utxo))`,
  // Index-only scans need a fresh visibility map, even if rows are only added.
  `alter table utxo_owner set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05)`,
  `create index utxo_owner_interval on utxo_owner (address, chain, consumed_time, created_time, utxo)
    include (amount, asset, kind, other_chain, direction, owners, threshold, locktime, stakeable_locktime,
      stake_start, stake_end, staked_until)`,
  `create index utxo_owner_amount on utxo_owner (address, chain, amount, utxo)`,
  `create index utxo_owner_open_amount on utxo_owner (address, chain, amount, utxo)
    where consumed_time = ${OPEN_END}`,
  `create index utxo_owner_reward on utxo_owner (address, chain, created_time, utxo) include (amount, reward_type)
    where reward_type is not null`,
  `create index utxo_owner_staked on utxo_owner (address, chain, utxo) include (amount, stake_end)
    where staked_until = ${OPEN_END}`,
]

const STAKING = [
  `create table staker (
    network int2 not null, tx_id bytea not null, kind int2 not null, subnet_id bytea not null, node_id bytea not null,
    weight numeric(20) not null, start_time int8 not null, end_time int8 not null, pending boolean not null,
    first_stake_output int8 not null, stake_outputs int4 not null,
    height int8 not null, time int8 not null, potential_reward numeric(20) not null,
    potential_net numeric(20) not null, delegation_shares int4, accrued_fees numeric(20) not null default 0,
    rewards_owner jsonb, fees_owner jsonb,
    ended_height int8, ended_time int8, outcome text, reward_tx bytea, reward_height int8,
    primary key (network, tx_id))`,
  `create index staker_by_node on staker (node_id, network, tx_id)`,
  `create index staker_active on staker (network, tx_id) where ended_height is null`,
  `create table staker_owner (
    address bytea not null, network int2 not null, tx_id bytea not null, role int2 not null,
    primary key (address, network, tx_id, role))`,
  `create table subnet (
    network int2 not null, id bytea not null, height int8 not null, owner jsonb not null, conversion jsonb,
    primary key (network, id))`,
  `create table blockchain (
    network int2 not null, id bytea not null, subnet_id bytea not null, name text not null, vm_id bytea not null,
    height int8 not null, primary key (network, id))`,
  `create table l1_validator (
    network int2 not null, validation_id bytea not null, subnet_id bytea not null, node_id bytea not null,
    public_key bytea not null, weight numeric(20) not null, min_nonce numeric(20) not null, start_time int8 not null,
    end_accumulated_fee numeric(20) not null, remaining_balance_owner jsonb not null, deactivation_owner jsonb not null,
    height int8 not null, primary key (network, validation_id))`,
  `create index l1_validator_by_subnet on l1_validator (network, subnet_id, validation_id)`,
]
