import { type QueryResult, type RawBuilder, sql } from 'kysely'
import { inChunks } from '../../../lib/in-chunks.ts'
import { type Column, insertion, ROWS_PER_STATEMENT } from '../../bulk/rows.ts'
import type { RangeTransaction } from './range-transaction.ts'

/** Rows of one table, to be inserted together with those of others. */
export interface Insertion {
  /** Some thousand rows at a time. */
  readonly parts: readonly RawBuilder<unknown>[]
}

/** @param tail SQL after the select, for example an `on conflict` clause */
export function rowsFor<R>(
  table: string,
  columns: readonly Column<R>[],
  rows: readonly R[],
  tail: RawBuilder<unknown> = sql``,
): Insertion {
  return { parts: inChunks(rows, ROWS_PER_STATEMENT).map((chunk) => sql`${insertion(table, columns, chunk)} ${tail}`) }
}

/**
 * Sends insertions into several tables as one statement, as long as none has more than some thousand rows. Does not
 * wait for it: meanwhile this process can read the next blocks.
 */
export function sendTogether(tx: RangeTransaction, insertions: readonly Insertion[]): void {
  const rounds = Math.max(0, ...insertions.map(({ parts }) => parts.length))
  for (let round = 0; round < rounds; round++) {
    const parts = insertions.flatMap((insertion) => insertion.parts[round] ?? [])
    const named = parts.map((part, i) => sql`${sql.raw(`i${i}`)} as (${part})`)
    void tx.send(sql`with ${sql.join(named)} select`)
  }
}

/** Sends one statement per some thousand rows. @returns their answers, to be awaited later */
export function sendChunks<R, Out>(
  tx: RangeTransaction,
  rows: readonly R[],
  statement: (chunk: readonly R[]) => RawBuilder<Out>,
): Promise<QueryResult<Out>[]> {
  const all = Promise.all(inChunks(rows, ROWS_PER_STATEMENT).map((chunk) => tx.send(statement(chunk))))
  all.catch(() => undefined)
  return all
}
