import { readFileSync } from 'node:fs'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { INDEX_TABLES } from '../../src/store/spread-tables.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'

/*
 * What docs/store.md promises of spreading the tables over machines, against the schema as a real server has it: a
 * distributed database accepts a unique key only if the column that it is spread by is in it.
 */
interface Placement {
  /** Column; undefined = whole on every node, or only on the coordinator. */
  by?: string
  place: 'distributed' | 'reference' | 'local'
}

const DOCS = readFileSync(new URL('../../docs/store.md', import.meta.url), 'utf8')
const part = DOCS.split('## Spreading over machines')[1]?.split('\n## ')[0] ?? ''
const rows = [...part.matchAll(/^\| (.+?) \| (.+?) \|$/gm)]
  .map(([, where = '', tables = '']) => ({
    where,
    tables: [...tables.matchAll(/`([a-z0-9_*]+)`/g)].map(([, name]) => name as string),
  }))
  .filter(({ tables }) => tables.length > 0)

const placementOf = (where: string): Placement => {
  if (where.startsWith('reference')) return { place: 'reference' }
  if (where.startsWith('local')) return { place: 'local' }
  return { place: 'distributed', by: where.replaceAll('`', '') }
}

const isMeant = (pattern: string, table: string): boolean =>
  pattern.endsWith('*') ? table.startsWith(pattern.slice(0, -1)) : pattern === table

const placements = (table: string): Placement[] =>
  rows.filter(({ tables }) => tables.some((name) => isMeant(name, table))).map(({ where }) => placementOf(where))

let server: PostgresServer
let client: pg.Client
let tables: string[]

beforeAll(async () => {
  server = await startPostgres()
  const databaseUrl = await server.create('spread')
  const store = openStore({ databaseUrl, dataDir: '/nonexistent', logger: pino({ level: 'silent' }) })
  await store.open()
  await store.close()
  client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const found = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1`,
  )
  tables = found.rows.map(({ name }) => name)
})
afterAll(async () => {
  await client?.end()
  await server?.stop()
})

const distributed = (): [table: string, by: string][] =>
  tables.flatMap((table) => placements(table).flatMap(({ by }): [string, string][] => (by ? [[table, by]] : [])))

describe('the schema on a distributed database', () => {
  it('every table has exactly one documented place', () => {
    expect(tables.length).toBeGreaterThan(25)
    const own = tables.filter((name) => !name.startsWith('firn_migration'))
    expect(own.filter((table) => placements(table).length !== 1)).toEqual([])
    const named = rows.flatMap((row) => row.tables)
    expect(named.filter((name) => !own.some((table) => isMeant(name, table)))).toEqual([])
  })

  it('every distributed table is one of those over which the store does not open', () => {
    const own = tables.filter((name) => !/^(firn_migration|node_|keystore_|store_|leader_)/.test(name))
    expect([...INDEX_TABLES]).toEqual(own)
    expect(distributed().filter(([table]) => !(INDEX_TABLES as readonly string[]).includes(table))).toEqual([])
  })

  it('every unique key of a distributed table contains the column it is spread by, which is never null', async () => {
    const { rows: keys } = await client.query<{ table: string; key: string; columns: string[] }>(
      `select c.relname as table, k.relname as key,
        array(select attname::text from unnest(i.indkey::int2[]) with ordinality p(n, at)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = p.n
          where p.at <= i.indnkeyatts order by p.at) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class k on k.oid = i.indexrelid
      where i.indisunique and c.relnamespace = current_schema()::regnamespace`,
    )
    const spread = distributed()
    expect(spread.length).toBeGreaterThan(10)
    for (const [table, by] of spread) {
      const own = keys.filter((key) => key.table === table)
      expect(own.length, table).toBeGreaterThan(0)
      for (const { key, columns } of own) expect(columns, `${key} of ${table}`).toContain(by)
      const column = await client.query(
        `select 1 from information_schema.columns where table_name = $1 and column_name = $2 and is_nullable = 'NO'`,
        [table, by],
      )
      expect(column.rowCount, `${table}.${by}`).toBe(1)
    }
  })

  it('no distributed table numbers its rows or refers to another distributed one', async () => {
    const names = distributed().map(([table]) => table)
    const numbered = await client.query(
      `select table_name, column_name from information_schema.columns
        where table_name = any($1) and (is_identity = 'YES' or column_default like 'nextval%')`,
      [names],
    )
    expect(numbered.rows).toEqual([])
    const references = await client.query<{ from: string; to: string }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
    )
    const place = (table: string): string | undefined => placements(table)[0]?.place
    for (const { from, to } of references.rows) expect(place(from), `${from} refers to ${to}`).toBe(place(to))
    expect(references.rows.filter(({ from }) => place(from) === 'distributed')).toEqual([])
  })

  it('tables that are co-located are spread by columns of one type', async () => {
    const groups = rows.filter(({ where }) => placementOf(where).place === 'distributed')
    for (const { where, tables: together } of groups) {
      const { rows: types } = await client.query<{ type: string }>(
        `select distinct data_type as type from information_schema.columns
          where column_name = $1 and table_name = any($2)`,
        [placementOf(where).by, together],
      )
      expect(types, where).toHaveLength(1)
    }
  })
})
