import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useServerStores } from '../support/store/server-stores.ts'

/** A file of Postgres' log has this size, bytes: with this limit of files the log is written to, and no table grows. */
const LOG_FILE = 16_777_216
const ROOM = `select pg_relation_size('store_probe')::int as row,
  pg_relation_size(reltoastrelid)::int as filler from pg_class where oid = 'store_probe'::regclass`

describe('the probe of writes', () => {
  const { server, connect } = useServerStores()

  async function adminOf(database: string) {
    const client = new pg.Client({ connectionString: await server().create(database), application_name: 'admin' })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  it('fails while no table can grow, though rows that are there can be changed, and not longer', async () => {
    const admin = await adminOf('cramped')
    await connect(server().url('cramped')).open()
    await admin.query(`insert into store_probe values (true, 0, convert_to(repeat('x', $1), 'utf8'))`, [LOG_FILE])
    // By the server itself, since its user may be another.
    const limit = (soft: string) =>
      admin.query(`copy (select 1) to program 'prlimit --pid $(head -n 1 postmaster.pid) --fsize=${soft}:'`)
    await limit(String(LOG_FILE))
    // Connections of the server have the limit that it had when they began.
    const store = connect(server().url('cramped'))
    await expect(store.probes.write()).rejects.toThrow('could not extend file')
    await expect(store.probes.write()).rejects.toThrow('could not extend file')
    await expect(store.probes.read()).resolves.toBeUndefined()
    const written = await admin.query('select checked_at > 0 as written from store_probe')
    expect(written.rows).toEqual([{ written: true }])
    await limit('unlimited')
    await server().endSessions('cramped', `application_name <> 'admin'`)
    await expect.poll(() => store.probes.write().catch((error) => error)).toBeUndefined()
  })

  it('leaves nothing behind', async () => {
    const admin = await adminOf('traceless')
    await connect(server().url('traceless')).probes.write()
    await connect(server().url('traceless')).probes.write()
    expect((await admin.query(ROOM)).rows).toEqual([{ row: 8192, filler: 0 }])
    expect((await admin.query('select filler from store_probe')).rows).toEqual([{ filler: null }])
  })
})
