import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Column, column, rowSource } from '../../bulk/rows.ts'
import { bytea } from '../../bytea.ts'
import { nowSeconds } from '../../database.ts'
import type { EvmMetadataChangeRow } from '../../rows/index.ts'
import type { Database } from '../../schema/index.ts'
import type { RangeTransaction } from '../range/range-transaction.ts'
import { sendChunks } from '../range/send-rows.ts'

/**
 * Most token ids, in ranges of several, that a commit queues. A log of a few thousand gas may name a million tokens:
 * queuing them takes minutes, in which the chain would stand. A single id is not counted, however many there are in a
 * row: it costs its contract a log, or is a token that the commit itself stores.
 */
export const MOST_CHANGED_IDS = 5_000n
/** Collections of one later step, and most tokens of each: however many and large they are, all have their turns. */
const COLLECTIONS = 20
export const TOKENS_PER_TURN = 100

/**
 * Queues tokens whose metadata changed; tokens that never moved stay unknown. A contract may report all its tokens in
 * every log, or each token separately: each is checked once in either way, and queued tokens are left unchanged. Beyond
 * MOST_CHANGED_IDS ids the widest ranges are noted, those of a contract from end to end, and their tokens queued later by
 * `queueChanged`.
 */
export function refetchMetadata(tx: RangeTransaction, stream: number, changes: readonly EvmMetadataChangeRow[]): void {
  const isSingle = ({ from, to }: EvmMetadataChangeRow): boolean => from === to
  const { few: ranges, many } = share(joinChanges(changes.filter((change) => !isSingle(change))))
  const few = [...joinChanges(changes.filter(isSingle)), ...ranges]
  const now = nowSeconds()
  // One index step per range: a join of each range with each token of the contract takes minutes.
  const told = (most: RawBuilder<unknown>) => sql`cross join lateral (
    select token_id from evm_nft_metadata
    where contract = c.contract and stream = ${stream} and token_id between c.low and c.high ${most}) t`
  void sendChunks(tx, many, (chunk) => {
    // Of a contract without tokens nothing is kept: there may be any number.
    return sql`insert into evm_nft_changed as known (contract, stream, low, high, next, again, due_at)
      select c.contract, ${stream}, min(c.low), max(c.high), min(c.low), false, ${now}::int8
      from ${rowSource('c', CHANGE, chunk)} ${told(sql`limit 1`)} group by c.contract
      on conflict (contract, stream) do update set low = least(known.low, excluded.low),
        high = greatest(known.high, excluded.high), again = known.again or excluded.low < known.next`
  })
  void sendChunks(tx, few, (chunk) => {
    return sql`with told as materialized (
        select c.contract, t.token_id from ${rowSource('c', CHANGE, chunk)} ${told(sql`offset 0`)})
      update evm_nft_metadata m set due_at = ${now}, attempts = 0 from told
      where m.contract = told.contract and m.stream = ${stream} and m.token_id = told.token_id
        and (m.due_at is null or m.due_at > ${now})`
  })
}

/** The same tokens, each in one range only. */
function joinChanges(changes: readonly EvmMetadataChangeRow[]): EvmMetadataChangeRow[] {
  const sorted = changes.filter(({ from, to }) => from <= to)
  sorted.sort((a, b) => (a.contract === b.contract ? (a.from < b.from ? -1 : 1) : a.contract < b.contract ? -1 : 1))
  const joined: EvmMetadataChangeRow[] = []
  for (const change of sorted) {
    const last = joined.at(-1)
    if (last?.contract !== change.contract || change.from > last.to + 1n) joined.push(change)
    else if (change.to > last.to) joined[joined.length - 1] = { ...last, to: change.to }
  }
  return joined
}

/** @returns `few`: ranges that are queued at once, the narrowest ones; `many`: all others */
function share(ranges: readonly EvmMetadataChangeRow[]) {
  const width = ({ from, to }: EvmMetadataChangeRow) => to - from + 1n
  const narrowestFirst = ranges.toSorted((a, b) => Number(width(a) - width(b)))
  let ids = 0n
  const first = narrowestFirst.findIndex((range) => {
    ids += width(range)
    return ids > MOST_CHANGED_IDS
  })
  const few = first < 0 ? narrowestFirst : narrowestFirst.slice(0, first)
  return { few, many: narrowestFirst.slice(few.length) }
}

/**
 * Queues the next tokens of collections that were noted, or had their last turn, by `until`, and moves these behind all
 * others. What is said of a collection meanwhile begins behind its last token: anew each time it would never get
 * there. Waits for no lock: tokens that are locked have their turn in a later step.
 * @param now from when they are due, unix seconds, like `until`
 * @param without contracts that are left out
 */
export async function queueChanged(
  db: Kysely<Database>,
  now: bigint,
  until: RawBuilder<unknown>,
  without: readonly string[],
): Promise<void> {
  await sql`with ${nextTokens(until, without, now)},
    queued as (
      update evm_nft_metadata m set due_at = ${now}, attempts = 0 from free f
      where m.contract = f.contract and m.stream = f.stream and m.token_id = f.token_id),
    place as materialized (
      select f.contract, f.stream, count(t.token_id) < ${TOKENS_PER_TURN} and bool_and(t.locked is null) as ends,
        coalesce(min(t.locked), max(t.token_id) + 1) as next
      from first f left join (
        select t.contract, t.stream, t.token_id, case when t.waits and f.token_id is null then t.token_id end as locked
        from told t left join free f using (contract, stream, token_id)) t using (contract, stream)
      group by f.contract, f.stream),
    moved as (
      update evm_nft_changed c set next = case when p.ends then c.low else p.next end, again = c.again and not p.ends,
        due_at = ${now}
      from place p where c.contract = p.contract and c.stream = p.stream and (c.again or not p.ends)),
    ended as (
      delete from evm_nft_changed c using place p
      where c.contract = p.contract and c.stream = p.stream and p.ends and not c.again)
    select`.execute(db)
}

/**
 * Parts of a statement: `first`, whose turn it is; `told`, their next tokens, and whether each `waits` to be queued;
 * `free`, those of them that are now locked here.
 */
function nextTokens(until: RawBuilder<unknown>, without: readonly string[], now: bigint): RawBuilder<unknown> {
  const others = without.length === 0 ? sql`` : sql` and contract not in (${sql.join(without.map(bytea))})`
  // Locked one by one: without statistics of a new table a join would read all of it.
  return sql`first as materialized (
      select contract, stream, next, high from evm_nft_changed where due_at <= ${until}${others}
      order by due_at, contract, stream limit ${COLLECTIONS} for update skip locked),
    told as materialized (
      select t.* from first f cross join lateral (
        select contract, stream, token_id, due_at is null or due_at > ${now} as waits from evm_nft_metadata
        where contract = f.contract and stream = f.stream and token_id between f.next and f.high
        order by contract, stream, token_id limit ${TOKENS_PER_TURN}) t),
    free as materialized (
      select m.* from told t cross join lateral (
        select m.contract, m.stream, m.token_id from evm_nft_metadata m
        where m.contract = t.contract and m.stream = t.stream and m.token_id = t.token_id
          and (m.due_at is null or m.due_at > ${now}) for update skip locked) m
      where t.waits)`
}

const CHANGE: Column<EvmMetadataChangeRow>[] = [
  column('contract', 'bytea', (row) => row.contract),
  column('low', 'numeric', (row) => row.from),
  column('high', 'numeric', (row) => row.to),
]
