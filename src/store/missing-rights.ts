import { type Kysely, sql } from 'kysely'
import { StoreRightsError, StoreTablesError } from './errors.ts'
import type { NodeStateTables } from './schema/node-state.ts'
import { INDEX_TABLES } from './spread-tables.ts'

/** Every table that any process may write to, whether it indexes or not. */
const NODE_STATE_TABLES = Object.keys({
  keystore_entry: true,
  keystore_user: true,
  node_chain_alias: true,
  node_credential: true,
  node_endpoint_alias: true,
  node_generation: true,
  node_revocation: true,
} satisfies Record<keyof NodeStateTables, true>)

const READ_RIGHTS = ['SELECT']
const WRITE_RIGHTS = ['INSERT', 'UPDATE', 'DELETE']

/** @throws StoreTablesError when a table is gone, StoreRightsError when the role cannot read all tables */
export const expectReadRights = <DB>(db: Kysely<DB>): Promise<void> =>
  expectRights(db, READ_RIGHTS, [...INDEX_TABLES, ...NODE_STATE_TABLES])

/** @throws StoreTablesError when such a table is gone, StoreRightsError when the role cannot write what every process may have to */
export const expectWriteRights = <DB>(db: Kysely<DB>): Promise<void> =>
  expectRights(db, WRITE_RIGHTS, NODE_STATE_TABLES)

async function expectRights<DB>(db: Kysely<DB>, rights: readonly string[], tables: readonly string[]): Promise<void> {
  const gone = await sql<{ name: string }>`
    select name from unnest(${tables}::text[]) name where to_regclass(name) is null order by name`.execute(db)
  if (gone.rows.length > 0) throw new StoreTablesError(gone.rows.map(({ name }) => name))
  const { rows } = await sql<{ missing: string }>`
    select r.name || ' on ' || string_agg(t.name, ', ' order by t.name) as missing
    from unnest(${rights}::text[]) with ordinality r (name, place) cross join unnest(${tables}::text[]) t (name)
    where not has_table_privilege(to_regclass(t.name), r.name)
    group by r.name, r.place order by r.place`.execute(db)
  if (rows.length > 0) throw new StoreRightsError(rows.map(({ missing }) => missing))
}
