import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

type ColumnType = 'int2' | 'int4' | 'int8' | 'numeric' | 'bytea' | 'uuid' | 'bool' | 'text' | 'jsonb'
type Cell = string | number | bigint | boolean | null | undefined

/** A column of a bulk write: bytea and uuid as hex, jsonb as its text. */
export interface Column<R> {
  name: string
  type: ColumnType
  of(row: R): Cell
}

export const column = <R>(name: string, type: ColumnType, of: (row: R) => Cell): Column<R> => ({ name, type, of })

/** Rows per statement: enough that the round trip does not count, few enough that the texts stay at a few MB. */
const ROWS = 4_000

/**
 * Inserts rows with one statement per some thousand of them: each column travels as one array.
 * @param tail what follows the select, for example an `on conflict` clause or `returning`
 * @returns what the tail returns
 */
export async function insertRows<R, Out = never>(
  db: Db,
  table: string,
  columns: readonly Column<R>[],
  rows: readonly R[],
  tail: RawBuilder<unknown> = sql``,
): Promise<Out[]> {
  const names = sql.raw(columns.map((entry) => `"${entry.name}"`).join(', '))
  const values = sql.raw(
    columns.map((entry) => (entry.type === 'jsonb' ? `${entry.name}::jsonb` : entry.name)).join(', '),
  )
  return eachChunk(rows, async (chunk) => {
    const from = rowSource('r', columns, chunk)
    const statement = sql<Out>`insert into ${sql.table(table)} (${names}) select ${values} from ${from} ${tail}`
    return (await statement.execute(db)).rows
  })
}

/** Calls `work` with some thousand rows at a time and joins what it answers. */
export async function eachChunk<R, Out>(
  rows: readonly R[],
  work: (chunk: readonly R[]) => Promise<Out[]>,
): Promise<Out[]> {
  const all: Out[] = []
  for (let at = 0; at < rows.length; at += ROWS) {
    for (const row of await work(rows.slice(at, at + ROWS))) all.push(row)
  }
  return all
}

/** `unnest(…) as alias(column, …)`: the rows as a table of a statement. jsonb comes as text, to be cast there. */
export function rowSource<R>(alias: string, columns: readonly Column<R>[], rows: readonly R[]): RawBuilder<unknown> {
  const arrays = columns.map((entry) => {
    const type = sql.raw(entry.type === 'jsonb' ? 'text[]' : `${entry.type}[]`)
    return sql`${arrayText(entry, rows)}::${type}`
  })
  const names = sql.raw(columns.map((entry) => entry.name).join(', '))
  return sql`unnest(${sql.join(arrays)}) as ${sql.raw(alias)}(${names})`
}

function arrayText<R>(entry: Column<R>, rows: readonly R[]): string {
  const format = FORMATS[entry.type]
  const cells = rows.map((row) => {
    const cell = entry.of(row)
    return cell === null || cell === undefined ? 'NULL' : format(String(cell))
  })
  return `{${cells.join(',')}}`
}

const plain = (text: string): string => text
// Postgres text holds no NUL, and names of tokens are chosen by strangers.
const quoted = (text: string): string => `"${text.replaceAll('\0', '').replace(/["\\]/g, '\\$&')}"`

const FORMATS: Record<ColumnType, (text: string) => string> = {
  int2: plain,
  int4: plain,
  int8: plain,
  numeric: plain,
  uuid: plain,
  bool: plain,
  bytea: (hex) => `"\\\\x${hex}"`,
  text: quoted,
  jsonb: quoted,
}
