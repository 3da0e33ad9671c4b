import { sql } from 'kysely'
import { type Column, column } from '../../bulk/rows.ts'
import { tokenStandards } from '../../codes.ts'
import { nowSeconds } from '../../database.ts'
import type {
  EvmBlockRow,
  EvmContractRow,
  EvmHoldingRow,
  EvmNftRow,
  EvmParticipantRow,
  EvmRows,
  EvmTransactionRow,
  EvmTransferRow,
} from '../../rows/index.ts'
import { type Insertion, rowsFor } from '../range/send-rows.ts'
import type { StreamTarget } from '../stream-rows.ts'

/** The rows of a range of an EVM chain. Every row has its height, so that `rewind` finds it. */
export function evmInsertions(stream: Pick<StreamTarget, 'id' | 'testnet'>, rows: EvmRows): Insertion[] {
  const of = <R>(columns: Column<R>[]): Column<R>[] => [column<R>('stream', 'int2', () => stream.id), ...columns]
  const testnet = column<EvmBlockRow>('testnet', 'bool', () => stream.testnet)
  const participants = first(rows.participants ?? [], (row) => row.address)
  const holdings = first(rows.holdings ?? [], (row) => row.address + row.contract)
  return [
    rowsFor('evm_block', of([testnet, ...BLOCK]), rows.blocks ?? []),
    rowsFor('evm_tx', of(TRANSACTION), rows.transactions ?? []),
    rowsFor('evm_transfer', of(TRANSFER), rows.transfers ?? []),
    rowsFor('evm_contract', of(CONTRACT), mergeContracts(rows.contracts ?? []), MERGE_CONTRACT),
    ...nftRows(of, rows.nfts ?? []),
    rowsFor('evm_participant', of(PARTICIPANT), participants, sql`on conflict (address, stream) do nothing`),
    rowsFor('evm_holding', of(HOLDING), holdings, sql`on conflict (address, stream, contract) do nothing`),
  ]
}

type WithStream = <R>(columns: Column<R>[]) => Column<R>[]

/** New tokens are queued for a fetch. */
function nftRows(of: WithStream, nfts: readonly EvmNftRow[]): Insertion[] {
  const latest = mergeNfts(nfts)
  const due = column<EvmNftRow>('due_at', 'int8', nowSeconds)
  const status = column<EvmNftRow>('status', 'text', () => 'UNINDEXED')
  const known = sql`on conflict (contract, stream, token_id) do nothing`
  return [
    rowsFor('evm_nft', of(NFT), latest, MERGE_NFT),
    rowsFor('evm_nft_metadata', of([...NFT_KEY, status, due]), latest, known),
  ]
}

function first<R extends { height: bigint }>(rows: readonly R[], key: (row: R) => string): R[] {
  const all = new Map<string, R>()
  for (const row of rows) {
    const known = all.get(key(row))
    if (known === undefined || row.height < known.height) all.set(key(row), row)
  }
  return [...all.values()]
}

function mergeContracts(rows: readonly EvmContractRow[]): EvmContractRow[] {
  const all = new Map<string, EvmContractRow>()
  for (const row of rows) {
    const known = all.get(row.address)
    all.set(row.address, known === undefined ? row : { ...known, ...row, height: known.height })
  }
  return [...all.values()]
}

function mergeNfts(rows: readonly EvmNftRow[]): EvmNftRow[] {
  const all = new Map<string, EvmNftRow>()
  for (const row of rows) {
    const key = `${row.contract}:${row.tokenId}`
    all.set(key, { ...row, firstHeight: all.get(key)?.firstHeight ?? row.firstHeight })
  }
  return [...all.values()]
}

const MERGE_CONTRACT = sql`on conflict (address, stream) do update set
  standard = coalesce(excluded.standard, evm_contract.standard), name = coalesce(excluded.name, evm_contract.name),
  symbol = coalesce(excluded.symbol, evm_contract.symbol), decimals = coalesce(excluded.decimals, evm_contract.decimals),
  creation_tx = coalesce(excluded.creation_tx, evm_contract.creation_tx),
  creator = coalesce(excluded.creator, evm_contract.creator)`

const MERGE_NFT = sql`on conflict (contract, stream, token_id) do update set
  standard = excluded.standard, owner = excluded.owner, height = excluded.height, log_index = excluded.log_index`

const BLOCK: Column<EvmBlockRow>[] = [
  column('height', 'int8', (row) => row.height),
  column('hash', 'bytea', (row) => row.hash),
  column('parent_hash', 'bytea', (row) => row.parentHash),
  column('time', 'int8', (row) => row.time),
  column('time_ms', 'int8', (row) => row.timeMs),
  column('min_delay_excess', 'int8', (row) => row.minDelayExcess),
  column('tx_count', 'int4', (row) => row.txCount),
  column('failed_count', 'int4', (row) => row.failedCount),
  column('base_fee', 'numeric', (row) => row.baseFee),
  column('gas_used', 'numeric', (row) => row.gasUsed),
  column('gas_limit', 'numeric', (row) => row.gasLimit),
  column('gas_cost', 'numeric', (row) => row.gasCost),
  column('fees_spent', 'numeric', (row) => row.feesSpent),
  column('cumulative_transactions', 'int8', (row) => row.cumulativeTransactions),
]

const TRANSACTION: Column<EvmTransactionRow>[] = [
  column('height', 'int8', (row) => row.height),
  column('position', 'int4', (row) => row.index),
  column('hash', 'bytea', (row) => row.hash),
  column('sender', 'bytea', (row) => row.from),
  column('recipient', 'bytea', (row) => row.to),
  column('created_contract', 'bytea', (row) => row.createdContract),
  column('value', 'numeric', (row) => row.value),
  column('success', 'bool', (row) => row.success),
  column('type', 'int2', (row) => row.type),
  column('gas_limit', 'numeric', (row) => row.gasLimit),
  column('gas_used', 'numeric', (row) => row.gasUsed),
  column('gas_price', 'numeric', (row) => row.gasPrice),
  column('nonce', 'numeric', (row) => row.nonce),
  column('selector', 'bytea', (row) => row.selector),
]

const TRANSFER: Column<EvmTransferRow>[] = [
  column('height', 'int8', (row) => row.height),
  column('log_index', 'int4', (row) => row.logIndex),
  column('batch_index', 'int4', (row) => row.batchIndex),
  column('tx_position', 'int4', (row) => row.txIndex),
  column('standard', 'int2', (row) => tokenStandards.number(row.standard)),
  column('contract', 'bytea', (row) => row.contract),
  column('sender', 'bytea', (row) => row.from),
  column('recipient', 'bytea', (row) => row.to),
  column('token_id', 'numeric', (row) => row.tokenId),
  column('amount', 'numeric', (row) => row.amount),
]

const CONTRACT: Column<EvmContractRow>[] = [
  column('address', 'bytea', (row) => row.address),
  column('height', 'int8', (row) => row.height),
  column('standard', 'int2', (row) => row.standard && tokenStandards.number(row.standard)),
  column('name', 'text', (row) => row.name),
  column('symbol', 'text', (row) => row.symbol),
  column('decimals', 'int2', (row) => row.decimals),
  column('creation_tx', 'bytea', (row) => row.creationTx),
  column('creator', 'bytea', (row) => row.creator),
]

const NFT_KEY: Column<EvmNftRow>[] = [
  column('contract', 'bytea', (row) => row.contract),
  column('token_id', 'numeric', (row) => row.tokenId),
]

const NFT: Column<EvmNftRow>[] = [
  ...NFT_KEY,
  column('standard', 'int2', (row) => tokenStandards.number(row.standard)),
  column('owner', 'bytea', (row) => row.owner),
  column('height', 'int8', (row) => row.height),
  column('log_index', 'int4', (row) => row.logIndex),
  column('first_height', 'int8', (row) => row.firstHeight),
]

const PARTICIPANT: Column<EvmParticipantRow>[] = [
  column('address', 'bytea', (row) => row.address),
  column('first_height', 'int8', (row) => row.height),
]

/** Columns of table `evm_participant`. */
export const participantColumns = (stream: number): Column<EvmParticipantRow>[] => [
  column('stream', 'int2', () => stream),
  ...PARTICIPANT,
]

const HOLDING: Column<EvmHoldingRow>[] = [
  column('address', 'bytea', (row) => row.address),
  column('contract', 'bytea', (row) => row.contract),
  column('first_height', 'int8', (row) => row.height),
]
