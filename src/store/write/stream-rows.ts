import { sql, type Transaction } from 'kysely'
import { BadInputError } from '../../errors.ts'
import { bytea } from '../bytea.ts'
import { letters } from '../codes.ts'
import type { Db } from '../database.ts'
import { RangeGapError, RangeParentError } from '../errors.ts'
import { DISOWNED } from '../index-age.ts'
import type { StoredTip } from '../index-writer.ts'
import type { ChainLetter, RangeProgress, StreamDefinition, StreamProgress } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import type { RangeTransaction } from './range/range-transaction.ts'

/** A stream as the writer needs it. */
export interface StreamTarget {
  id: number
  name: string
  testnet: boolean
  /** Streams of P, X and C. */
  primary?: { network: number; letter: ChainLetter }
  /** Transactions numbered so far. */
  transactions: bigint
}

/** EVM streams are numbered above all possible chain numbers of networks (8 · 4). */
const FIRST_EVM_STREAM = 1_000

const PROGRESS = ['name', 'height', 'block_id', 'block_time', 'state', 'transactions', 'current_at_ms'] as const

/** Finds or creates the stream; both give the same result. */
export async function registerStream(tx: Transaction<Database>, stream: StreamDefinition): Promise<StreamProgress> {
  const known = await findProgress(tx, stream.name)
  if (known !== undefined) return known
  const network = stream.kind === 'primary' ? await networkNumber(tx, stream.network, stream.testnet) : null
  const id =
    stream.kind === 'primary' && network !== null ? network * 4 + letters.number(stream.chain) : await nextEvm(tx)
  await tx
    .insertInto('stream')
    .values({
      id,
      name: stream.name,
      network,
      evm_chain_id: 'evmChainId' in stream ? stream.evmChainId : null,
      testnet: stream.testnet,
      current_at_ms: 0n,
    })
    .execute()
  const made = await findProgress(tx, stream.name)
  if (made === undefined) throw new BadInputError(`stream ${stream.name} cannot be made`)
  return made
}

async function networkNumber(tx: Transaction<Database>, name: string, testnet: boolean): Promise<number> {
  const known = await tx.selectFrom('network').select('id').where('name', '=', name).executeTakeFirst()
  if (known !== undefined) return known.id
  const last = await tx.selectFrom('network').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const id = (last?.id ?? 0) + 1
  if (id * 4 + 3 >= FIRST_EVM_STREAM) throw new BadInputError('the store holds too many networks')
  await tx.insertInto('network').values({ id, name, testnet }).execute()
  return id
}

async function nextEvm(tx: Transaction<Database>): Promise<number> {
  const last = await tx
    .selectFrom('stream')
    .select('id')
    .where('id', '>=', FIRST_EVM_STREAM)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last === undefined ? FIRST_EVM_STREAM : last.id + 1
}

async function findProgress(db: Db, name: string): Promise<StreamProgress | undefined> {
  const row = await db.selectFrom('stream').select(PROGRESS).where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : toProgress(row)
}

/** The progress of every stream. @param heed receives the streams' numbers */
export async function readProgress(
  db: Db,
  heed: (streams: readonly { name: string; id: number }[]) => void,
): Promise<StreamProgress[]> {
  const rows = await db
    .selectFrom('stream')
    .select([...PROGRESS, 'id'])
    .orderBy('id')
    .execute()
  heed(rows)
  return rows.map(toProgress)
}

interface ProgressRow {
  name: string
  height: bigint | null
  block_id: string | null
  block_time: bigint | null
  state: string | null
  transactions: bigint
  current_at_ms: bigint
}

function toProgress(row: ProgressRow): StreamProgress {
  const { height, block_id: blockId, block_time: time } = row
  return {
    stream: row.name,
    ...(height === null || blockId === null || time === null ? {} : { tip: { height, blockId, time } }),
    ...(row.state === null ? {} : { state: row.state }),
    transactions: row.transactions,
    currentAtMs: row.current_at_ms,
  }
}

/**
 * Locks the stream for this transaction and checks that the range continues it.
 * @throws RangeGapError, RangeParentError; BadInputError for a stream that was never registered
 */
export async function lockStream(
  db: Db,
  name: string,
  range: Pick<RangeProgress, 'from' | 'parentId'>,
): Promise<StreamTarget> {
  const row = await db.selectFrom('stream').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()
  if (row === undefined) throw new BadInputError(`stream ${name} is not registered`)
  if (row.height !== null) {
    if (range.from !== row.height + 1n) throw new RangeGapError(name, row.height + 1n, range.from)
    const tip = row.block_id ?? ''
    if (range.parentId !== tip) throw new RangeParentError(name, row.height, tip, range.parentId)
  }
  return toTarget(row)
}

interface TargetRow {
  id: number
  name: string
  testnet: boolean
  network: number | null
  transactions: bigint
}

export function toTarget(row: TargetRow): StreamTarget {
  const { id, name, testnet, network, transactions } = row
  const stream = { id, name, testnet, transactions }
  return network === null ? stream : { ...stream, primary: { network, letter: letters.word(id % 4) } }
}

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Sets the end of the range as the stream's new tip. */
export function sendProgress(
  tx: RangeTransaction,
  stream: StreamTarget,
  range: RangeProgress,
  transactions: bigint,
): void {
  const { height, blockId, time, state } = range
  // The index is current up to the end of the range, which while catching up is long ago. A stored time in the future
  // was written by a clock that was ahead.
  const now = BigInt(Date.now())
  const current = earlier(time * 1000n, now)
  void tx.send(sql`update stream set height = ${height}, block_id = ${bytea(blockId)}, block_time = ${time},
    transactions = ${stream.transactions + transactions}, current_at_ms = greatest(${current}::int8, case when current_at_ms <= ${now}::int8 then current_at_ms end)
    ${state === undefined ? sql`` : sql`, state = ${state}`} where id = ${stream.id}`)
}

/**
 * See `IndexWriter.confirmTip`. The server may have been replaced by one without the last ranges: its index would count
 * as current until the next block.
 */
export async function confirmStream(db: Db, name: string, tip: StoredTip | undefined): Promise<void> {
  const confirmed = db
    .updateTable('stream')
    .set({ current_at_ms: BigInt(Date.now()) })
    .where('name', '=', name)
    .where('height', 'is not distinct from', tip?.height ?? null)
    .where('block_id', 'is not distinct from', tip === undefined ? null : bytea(tip.blockId))
  if ((await confirmed.executeTakeFirst()).numUpdatedRows > 0n) return
  const next = (tip?.height ?? -1n) + 1n
  await lockStream(db, name, { from: next, parentId: tip?.blockId ?? '' })
  throw new RangeGapError(name, 0n, next)
}

/** See `IndexWriter.disownTip`. */
export async function disownStream(db: Db, name: string): Promise<void> {
  await db.updateTable('stream').set({ current_at_ms: DISOWNED }).where('name', '=', name).execute()
}
