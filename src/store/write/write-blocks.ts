import { type Column, column } from '../bulk/rows.ts'
import type { AssetRow, BlockRow, ContainerRow, PrimaryRows, TransactionRow } from '../rows/index.ts'
import { type Insertion, rowsFor } from './range/send-rows.ts'

/**
 * Blocks, containers and transactions of one chain; they are never changed afterwards.
 * @param first number of the first transaction; they are numbered in order
 */
export function blockInsertions(
  chain: number,
  first: bigint,
  rows: Pick<PrimaryRows, 'blocks' | 'containers' | 'transactions'>,
): Insertion[] {
  const { blocks = [], containers = [], transactions = [] } = rows
  const numbered = transactions.map((row, index) => ({ row, sequence: first + BigInt(index) }))
  const ofChain = <R>(columns: readonly Column<R>[]): Column<R>[] => [column('chain', 'int2', () => chain), ...columns]
  return [
    rowsFor('block', ofChain(BLOCK), blocks),
    rowsFor('container', ofChain(CONTAINER), containers),
    rowsFor('tx', ofChain(TRANSACTION), numbered),
  ]
}

const BLOCK: Column<BlockRow>[] = [
  column('height', 'int8', (row) => row.height),
  column('id', 'bytea', (row) => row.id),
  column('parent_id', 'bytea', (row) => row.parentId),
  column('outer_id', 'bytea', (row) => row.outerId),
  column('outer_parent_id', 'bytea', (row) => row.outerParentId),
  column('type', 'text', (row) => row.type),
  column('time', 'int8', (row) => row.time),
  column('time_ms', 'int8', (row) => row.timeMs),
  column('size', 'int4', (row) => row.size),
  column('tx_count', 'int4', (row) => row.txIds.length + (row.atomicTxIds?.length ?? 0)),
  column('tx_ids', 'bytea', (row) => row.txIds.join('')),
  column('atomic_tx_ids', 'bytea', (row) => row.atomicTxIds?.join('') ?? ''),
  column('proposer', 'bytea', (row) => row.proposer?.nodeId),
  column('proposer_height', 'int8', (row) => row.proposer?.pChainHeight),
  column('proposer_time', 'int8', (row) => row.proposer?.time),
  column('current_supply', 'numeric', (row) => row.currentSupply),
  column('l1_fees', 'numeric', (row) => row.l1AccruedFees),
  column('l1_validators', 'int4', (row) => row.activeL1Validators),
]

const CONTAINER: Column<ContainerRow>[] = [
  column('position', 'int8', (row) => row.index),
  column('id', 'bytea', (row) => row.id),
  column('height', 'int8', (row) => row.height),
  column('bytes', 'bytea', (row) => row.bytes),
  column('accepted_at', 'text', (row) => row.acceptedAt),
]

interface NumberedRow {
  row: TransactionRow
  sequence: bigint
}

const TRANSACTION: Column<NumberedRow>[] = [
  column('sequence', 'int8', ({ sequence }) => sequence),
  column('id', 'bytea', ({ row }) => row.id),
  column('height', 'int8', ({ row }) => row.height),
  column('position', 'int4', ({ row }) => row.position),
  column('type', 'int2', ({ row }) => row.type),
  column('time', 'int8', ({ row }) => row.time),
]

export const ASSET: Column<AssetRow>[] = [
  column('id', 'bytea', (row) => row.id),
  column('name', 'text', (row) => row.name),
  column('symbol', 'text', (row) => row.symbol),
  column('denomination', 'int2', (row) => row.denomination),
  column('type', 'text', (row) => row.type),
  column('height', 'int8', (row) => row.height),
]
