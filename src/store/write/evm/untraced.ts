import { sql, type Transaction } from 'kysely'
import { insertRows } from '../../bulk/rows.ts'
import { bytea } from '../../bytea.ts'
import type { Db } from '../../database.ts'
import type { UntracedBlocks } from '../../index-writer.ts'
import type { EvmTracesLater } from '../../rows/index.ts'
import type { Database } from '../../schema/index.ts'
import type { RangeTransaction } from '../range/range-transaction.ts'
import { participantColumns } from './write-evm.ts'

/** Gaps closer than this are merged: the blocks in between are checked once more, but a row stays for years. */
const NEAR = 1_024n

/** Records blocks of a range without traces. @param heights in order, above all that is stored */
export function noteUntraced(tx: RangeTransaction, stream: number, heights: readonly bigint[]): void {
  const [low] = heights
  const high = heights.at(-1)
  if (low === undefined || high === undefined) return
  void tx.send(sql`with grown as (
      update evm_untraced set high = ${high}
      where stream = ${stream} and low = (select max(low) from evm_untraced where stream = ${stream})
        and high >= ${low - NEAR}::int8
      returning low)
    insert into evm_untraced (stream, low, high)
    select ${stream}, ${low}, ${high} where not exists (select from grown)`)
}

/** Removes records of blocks above `height`. */
export async function rewindUntraced(db: Db, stream: number, height: bigint): Promise<void> {
  await sql`delete from evm_untraced where stream = ${stream} and low > ${height}`.execute(db)
  await sql`update evm_untraced set high = ${height} where stream = ${stream} and high > ${height}`.execute(db)
}

interface Gap {
  stream: number
  low: bigint
  high: bigint
}

/** See `IndexWriter.untraced`. */
export async function readUntraced(db: Db, name: string, most: number, below?: bigint): Promise<UntracedBlocks> {
  const gaps = sql`evm_untraced where stream = (select id from stream where name = ${name})`
  const { rows: sums } = await sql<{ missing: string | null }>`
    select sum(high - low + 1)::text as missing from ${gaps}`.execute(db)
  const missing = BigInt(sums[0]?.missing ?? 0)
  if (missing === 0n) return { blocks: [], missing }
  const { rows } = await sql<Gap>`select stream, low, high from ${gaps}
    ${below === undefined ? sql`` : sql`and low < ${below}::int8`} order by low desc limit 1`.execute(db)
  const [gap] = rows
  if (gap === undefined) return { blocks: [], missing }
  const top = below === undefined || gap.high < below ? gap.high : below - 1n
  const lowest = top - BigInt(most) + 1n
  const { rows: blocks } = await sql<{ height: bigint; hash: string }>`select height, hash from evm_block
    where stream = ${gap.stream} and height between ${gap.low > lowest ? gap.low : lowest}::int8 and ${top}::int8
    order by height`.execute(db)
  return { blocks: blocks.map(({ height, hash }) => ({ height, blockId: hash })), missing }
}

/** See `IndexWriter.fillTraces`. */
export async function fillTraces(
  tx: Transaction<Database>,
  name: string,
  { from, to, participants }: EvmTracesLater,
): Promise<void> {
  // No range and no rewind can run in between.
  const { rows } = await sql<{ id: number }>`select s.id from stream s where s.name = ${name} and exists (
    select from evm_block b where b.stream = s.id and b.height = ${to.height} and b.hash = ${bytea(to.blockId)})
    for update`.execute(tx)
  const [stream] = rows
  if (stream === undefined) return
  await insertRows(
    tx,
    'evm_participant',
    participantColumns(stream.id),
    participants,
    // A rewind to a block in between keeps this block's participants.
    sql`on conflict (address, stream) do update set first_height = excluded.first_height
      where evm_participant.first_height > excluded.first_height`,
  )
  const { rows: cut } = await sql<Gap>`delete from evm_untraced
    where stream = ${stream.id} and low <= ${to.height} and high >= ${from} returning stream, low, high`.execute(tx)
  for (const { low, high } of cut) {
    if (low < from) await keep(tx, { stream: stream.id, low, high: from - 1n })
    if (high > to.height) await keep(tx, { stream: stream.id, low: to.height + 1n, high })
  }
}

const keep = (db: Db, { stream, low, high }: Gap): Promise<unknown> =>
  sql`insert into evm_untraced (stream, low, high) values (${stream}, ${low}, ${high})`.execute(db)
