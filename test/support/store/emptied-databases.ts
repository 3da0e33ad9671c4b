import { type EmbeddedDatabase, startEmbedded } from '../../../src/store/connection/embedded/database.ts'
import type { WorkerSettings } from '../../../src/store/connection/embedded/worker-protocol.ts'

/** Each takes some 150 MB; few tests have more than two at a time. */
const MOST_IDLE = 2

/** Databases in memory that stores of this process have given back. */
const idle: { database: EmbeddedDatabase; empty: () => Promise<void> }[] = []

/**
 * A migrated database in memory, as `startEmbedded` starts it from an archive, except that closing it empties it for the
 * next one: to start one takes a second and a half of a processor, to empty one a fiftieth of that.
 */
export async function takeDatabase(settings: WorkerSettings): Promise<EmbeddedDatabase> {
  const { database, empty } = idle.pop() ?? (await start(settings))
  return {
    query: database.query,
    archive: database.archive,
    kill: database.kill,
    get over() {
      return database.over
    },
    async close() {
      if (database.over || idle.length >= MOST_IDLE) return database.close()
      // What cannot be emptied is not used again.
      await empty().then(
        () => idle.push({ database, empty }),
        () => database.close(),
      )
    },
  }
}

async function start(settings: WorkerSettings) {
  const database = await startEmbedded(settings)
  const { rows } = await database.query(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    [],
  )
  const tables = rows.map((row) => String((row as { name: string }).name))
  const migrated = new Map<string, string>()
  for (const table of await filled(database, tables)) {
    const { rows: found } = await database.query(`select json_agg(t)::text as rows from ${table} t`, [])
    migrated.set(table, (found[0] as { rows: string }).rows)
  }
  return { database, empty: () => empty(database, tables, migrated) }
}

async function empty(database: EmbeddedDatabase, tables: readonly string[], migrated: ReadonlyMap<string, string>) {
  // A test may have left a transaction or settings of the session.
  await database.query('rollback', [])
  await database.query('discard all', [])
  const names = await filled(database, tables)
  if (names.length > 0) await database.query(`truncate ${names.join(', ')} restart identity cascade`, [])
  for (const [table, rows] of migrated) {
    await database.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`, [
      rows,
    ])
  }
  // What was known of their contents would let the planner choose otherwise than in a new database.
  await database.query('delete from pg_statistic', [])
}

/** Those of the tables that hold a row. */
async function filled(database: EmbeddedDatabase, tables: readonly string[]): Promise<string[]> {
  const each = tables.map((table) => `select '${table}' as name where exists (select 1 from ${table})`)
  const { rows } = await database.query(each.join(' union all '), [])
  return rows.map((row) => String((row as { name: string }).name))
}
