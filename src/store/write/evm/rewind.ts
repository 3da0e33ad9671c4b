import { sql, type Transaction } from 'kysely'
import { column, rowSource } from '../../bulk/rows.ts'
import { tokenStandards } from '../../codes.ts'
import { type Db, nowSeconds } from '../../database.ts'
import { RangeContentError } from '../../errors.ts'
import type { StoredEvmBlock } from '../../index-writer.ts'
import type { EvmRewrite } from '../../rows/index.ts'
import type { Database } from '../../schema/index.ts'
import type { RangeTransaction } from '../range/range-transaction.ts'
import { sendTogether } from '../range/send-rows.ts'
import { lockStream, toTarget } from '../stream-rows.ts'
import { refetchMetadata } from './changed-nfts.ts'
import { noteUntraced, rewindUntraced } from './untraced.ts'
import { evmInsertions } from './write-evm.ts'

const BY_HEIGHT = ['evm_block', 'evm_tx', 'evm_transfer', 'evm_contract'] as const
const BY_FIRST_HEIGHT = ['evm_participant', 'evm_holding'] as const

/**
 * Rewinds an EVM stream to `height`. All rows have their block's height; owners of NFTs are found again in the
 * remaining transfers.
 */
export async function rewindStream(
  tx: Transaction<Database>,
  name: string,
  height: bigint,
  state: string | undefined,
): Promise<void> {
  const row = await tx.selectFrom('stream').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()
  if (row === undefined || row.height === null) return
  if (toTarget(row).primary !== undefined) throw new RangeContentError(`${name}: accepted blocks are final`)
  if (height >= row.height) return
  await forgetNames(tx, row.id, height)
  await deleteAbove(tx, row.id, height)
  const tip = await tx
    .selectFrom('evm_block')
    .select(['height', 'hash', 'time'])
    .where('stream', '=', row.id)
    .where('height', '=', height)
    .executeTakeFirst()
  await tx
    .updateTable('stream')
    .set({
      height: tip?.height ?? null,
      block_id: tip === undefined ? null : `\\x${tip.hash}`,
      block_time: tip?.time ?? null,
      state: state ?? null,
      current_at_ms: (tip?.time ?? 0n) * 1000n,
    })
    .where('id', '=', row.id)
    .execute()
}

/** See `IndexWriter.rewriteTip`. */
export async function rewriteTip(
  tx: RangeTransaction,
  name: string,
  { height, blockId }: { height: bigint; blockId: string },
  { above, rows, state }: EvmRewrite,
): Promise<void> {
  const stream = await lockStream(tx.db, name, { from: height + 1n, parentId: blockId })
  await deleteAbove(tx.db, stream.id, above)
  sendTogether(tx, evmInsertions(stream, rows))
  refetchMetadata(tx, stream.id, rows.metadataChanges ?? [])
  noteUntraced(tx, stream.id, rows.untraced ?? [])
  void tx.send(sql`update stream set state = ${state} where id = ${stream.id}`)
}

async function deleteAbove(db: Db, stream: number, height: bigint): Promise<void> {
  for (const table of BY_HEIGHT) {
    await sql`delete from ${sql.table(table)} where stream = ${stream} and height > ${height}`.execute(db)
  }
  for (const table of BY_FIRST_HEIGHT) {
    await sql`delete from ${sql.table(table)} where stream = ${stream} and first_height > ${height}`.execute(db)
  }
  await rewindUntraced(db, stream, height)
  await rewindNfts(db, stream, height)
}

const streamOf = (name: string) => sql`(select id from stream where name = ${name})`

/** See `IndexWriter.evmBlock`. */
export async function readEvmBlock(db: Db, name: string, height: bigint): Promise<StoredEvmBlock | undefined> {
  const { rows } = await sql<StoredEvmBlock>`select hash, cumulative_transactions as count from evm_block
    where stream = ${streamOf(name)} and height = ${height}`.execute(db)
  return rows[0]
}

/** See `IndexWriter.forgottenAbove`. */
export async function readForgotten(
  db: Db,
  name: string,
  height: bigint,
  before: readonly string[],
): Promise<string[]> {
  const earlier = rowSource('e', [column<string>('address', 'bytea', (address) => address)], before)
  const { rows } = await sql<{ address: string }>`select c.address from
    (select contract from evm_transfer where stream = ${streamOf(name)} and height > ${height}
      union select address from ${earlier}) moved
    join evm_contract c on c.address = moved.contract and c.stream = ${streamOf(name)}
    where c.height <= ${height}`.execute(db)
  return rows.map(({ address }) => address)
}

/** Contracts are asked for their names when they first move: those may have been given on the dead branch only. */
async function forgetNames(db: Db, stream: number, height: bigint): Promise<void> {
  await sql`update evm_contract c set name = null, symbol = null, decimals = null
    from (select distinct contract from evm_transfer where stream = ${stream} and height > ${height}) moved
    where c.address = moved.contract and c.stream = ${stream}`.execute(db)
}

async function rewindNfts(tx: Db, stream: number, height: bigint): Promise<void> {
  await sql`delete from evm_nft_metadata m using evm_nft n where n.stream = ${stream} and n.height > ${height}
    and n.first_height > ${height} and m.contract = n.contract and m.stream = n.stream and m.token_id = n.token_id
  `.execute(tx)
  await sql`delete from evm_nft where stream = ${stream} and height > ${height} and first_height > ${height}`.execute(
    tx,
  )
  // Data read from the chain since the fork may exist on the dead branch only; so may data being read now.
  const now = nowSeconds()
  const again = sql`update evm_nft_metadata set due_at = least(due_at, ${now}), attempts = 0 where stream = ${stream}`
  // One range of an index each: together they may be a scan of all that the chain has.
  await sql`${again} and height > ${height}`.execute(tx)
  await sql`${again} and due_at > ${now}`.execute(tx)
  const unique = tokenStandards.number('ERC-721')
  await sql`update evm_nft n set height = t.height, log_index = t.log_index,
      standard = t.standard, owner = case when t.standard = ${unique} then t.recipient end
    from evm_nft gone cross join lateral (
      select height, log_index, standard, recipient from evm_transfer t
      where t.contract = gone.contract and t.stream = gone.stream and t.token_id = gone.token_id
      order by height desc, log_index desc, batch_index desc limit 1) t
    where gone.stream = ${stream} and gone.height > ${height}
      and n.contract = gone.contract and n.stream = gone.stream and n.token_id = gone.token_id`.execute(tx)
}
