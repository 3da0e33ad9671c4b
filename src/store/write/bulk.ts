import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { RangeContentError } from '../errors.ts'

type ColumnType = 'int2' | 'int4' | 'int8' | 'numeric' | 'bytea' | 'uuid' | 'bool' | 'text' | 'jsonb'
/** `bytea` that is long: it travels as bytes, which halves what is sent and spares both sides the digits. */
type SentType = ColumnType | 'long-bytea'
type Cell = string | number | bigint | boolean | null | undefined

/** A column of a bulk write: bytea and uuid as hex, jsonb as its text. */
export interface Column<R> {
  name: string
  type: SentType
  of(row: R): Cell
}

export const column = <R>(name: string, type: SentType, of: (row: R) => Cell): Column<R> => ({ name, type, of })

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
  return eachChunk(rows, async (chunk) => {
    const statement = sql<Out>`${insertion(table, columns, chunk)} ${tail}`
    return (await statement.execute(db)).rows
  })
}

function insertion<R>(table: string, columns: readonly Column<R>[], rows: readonly R[]): RawBuilder<unknown> {
  const names = sql.raw(columns.map((entry) => `"${entry.name}"`).join(', '))
  const values = sql.raw(
    columns.map((entry) => (entry.type === 'jsonb' ? `${entry.name}::jsonb` : entry.name)).join(', '),
  )
  return sql`insert into ${sql.table(table)} (${names}) select ${values} from ${rowSource('r', columns, rows)}`
}

/** Rows of one table, to be inserted along with those of others. */
export interface Insertion {
  /** Some thousand rows at a time. */
  readonly parts: readonly RawBuilder<unknown>[]
}

export function rowsFor<R>(table: string, columns: readonly Column<R>[], rows: readonly R[]): Insertion {
  const parts: RawBuilder<unknown>[] = []
  for (let at = 0; at < rows.length; at += ROWS) parts.push(insertion(table, columns, rows.slice(at, at + ROWS)))
  return { parts }
}

/**
 * Inserts into several tables with one statement, as long as none has more than some thousand rows: while it runs, this
 * process can read the next blocks, and the database waits for it once instead of once per table.
 */
export async function insertTogether(db: Db, insertions: readonly Insertion[]): Promise<void> {
  const rounds = Math.max(0, ...insertions.map(({ parts }) => parts.length))
  for (let round = 0; round < rounds; round++) {
    const parts = insertions.flatMap((insertion) => insertion.parts[round] ?? [])
    const named = parts.map((part, i) => sql`${sql.raw(`i${i}`)} as (${part})`)
    await sql`with ${sql.join(named)} select`.execute(db)
  }
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
    if (entry.type === 'long-bytea') return sql`${arrayBytes(entry, rows)}::bytea[]`
    const type = sql.raw(entry.type === 'jsonb' ? 'text[]' : `${entry.type}[]`)
    return sql`${arrayText(entry, FORMATS[entry.type], rows)}::${type}`
  })
  const names = sql.raw(columns.map((entry) => entry.name).join(', '))
  return sql`unnest(${sql.join(arrays)}) as ${sql.raw(alias)}(${names})`
}

function arrayText<R>(entry: Column<R>, format: (text: string) => string, rows: readonly R[]): string {
  const cells = rows.map((row) => {
    const cell = entry.of(row)
    return cell === null || cell === undefined ? 'NULL' : format(String(cell))
  })
  return `{${cells.join(',')}}`
}

const BYTEA_OID = 17
const ARRAY_HEADER = 20

/** Postgres' binary form of bytea[]: one dimension that begins at 1, then each element behind its length, -1 = null. */
function arrayBytes<R>(entry: Column<R>, rows: readonly R[]): Buffer {
  const cells = rows.map(entry.of).map((cell) => (cell === null || cell === undefined ? undefined : String(cell)))
  const size = cells.reduce((sum, hex) => sum + 4 + (hex?.length ?? 0) / 2, ARRAY_HEADER)
  const array = Buffer.allocUnsafeSlow(size)
  for (const [i, word] of [1, 1, BYTEA_OID, rows.length, 1].entries()) array.writeInt32BE(word, i * 4)
  let at = ARRAY_HEADER
  for (const hex of cells) {
    at = array.writeInt32BE(hex === undefined ? -1 : hex.length / 2, at)
    if (hex !== undefined) at += array.write(hex, at, 'hex')
  }
  // Node stops silently at the first character that is no hex digit.
  if (at !== size) throw new RangeContentError(`${entry.name} is no hex`)
  return array
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
