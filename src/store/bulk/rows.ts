import { type RawBuilder, sql } from 'kysely'
import { inChunks } from '../../lib/in-chunks.ts'
import type { Db } from '../database.ts'
import { binaryArray, binaryValue, type Cell, type ColumnType } from './binary-array.ts'

/** A column of a bulk write. */
export interface Column<R> {
  name: string
  type: ColumnType
  of(row: R): Cell
}

export const column = <R>(name: string, type: ColumnType, of: (row: R) => Cell): Column<R> => ({ name, type, of })

/** Rows per statement: enough that the round trip hardly matters, few enough that the arrays stay at a few MB. */
export const ROWS_PER_STATEMENT = 4_000

/**
 * Inserts rows with one statement per some thousand of them: each column is sent as one array.
 * @param tail SQL after the select, for example an `on conflict` clause or `returning`
 * @param head SQL before it, for example `overriding system value`
 * @returns the rows that the tail returns
 */
export async function insertRows<R, Out = never>(
  db: Db,
  table: string,
  columns: readonly Column<R>[],
  rows: readonly R[],
  tail: RawBuilder<unknown> = sql``,
  head: RawBuilder<unknown> = sql``,
): Promise<Out[]> {
  return eachChunk(rows, async (chunk) => {
    const statement = sql<Out>`${insertion(table, columns, chunk, head)} ${tail}`
    return (await statement.execute(db)).rows
  })
}

/** `insert into … select …` of rows, without what follows the select. @param head SQL before it */
export function insertion<R>(
  table: string,
  columns: readonly Column<R>[],
  rows: readonly R[],
  head: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const names = sql.raw(columns.map((entry) => `"${entry.name}"`).join(', '))
  const values = sql.raw(
    columns.map((entry) => (entry.type === 'jsonb' ? `${entry.name}::jsonb` : entry.name)).join(', '),
  )
  return sql`insert into ${sql.table(table)} (${names}) ${head} select ${values} from ${rowSource('r', columns, rows)}`
}

/** Calls `work` with some thousand rows at a time and joins the results. */
export async function eachChunk<R, Out>(
  rows: readonly R[],
  work: (chunk: readonly R[]) => Promise<Out[]>,
): Promise<Out[]> {
  const all: Out[] = []
  for (const chunk of inChunks(rows, ROWS_PER_STATEMENT)) for (const row of await work(chunk)) all.push(row)
  return all
}

/**
 * `(select …) as alias`: the rows as a table of a statement. jsonb is sent as text, to be cast there. A value that is
 * the same in all rows is sent once; unnesting an array costs the database as much as storing the column.
 */
export function rowSource<R>(alias: string, columns: readonly Column<R>[], rows: readonly R[]): RawBuilder<unknown> {
  // One column has to determine the number of rows.
  let counted = rows.length === 1
  const entries = columns.map(({ name, type, of }, at) => {
    const cells = rows.map(of)
    const sent = sql.raw(type === 'jsonb' ? 'text' : type)
    const as = sql.raw(name)
    const last = !counted && at === columns.length - 1
    if (last || !sameThroughout(cells)) {
      counted = true
      return sql`unnest(${binaryArray(type, cells)}::${sent}[]) as ${as}`
    }
    const [cell] = cells
    if (cell === null || cell === undefined) return sql`null::${sent} as ${as}`
    return sql`${binaryValue(type, cell)}::${sent} as ${as}`
  })
  return sql`(select ${sql.join(entries)}) as ${sql.raw(alias)}`
}

function sameThroughout(cells: readonly Cell[]): boolean {
  const first = cells[0] ?? null
  return cells.every((cell) => (cell ?? null) === first)
}
