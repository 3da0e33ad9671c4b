import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { openEmbeddedPool } from '../../src/store/connection/index.ts'
import { openStore } from '../../src/store/index.ts'
import { putDatabase } from '../support/store/migrated-archive.ts'
import { startPostgres } from '../support/store/postgres-server.ts'
import { digestOf } from './database-dump.ts'
import { storeAt } from './store-at.ts'

/** Databases for one run each, all alike at the start: migrated and empty. */
export interface Places {
  /** A new one: a folder, or the URL of a server's database. */
  make(name: string): Promise<string>
  /** Of all that is in it; nobody else may have it open. */
  digest(place: string): Promise<string>
  drop(name: string): Promise<void>
  close(): Promise<void>
}

type Rows = Record<string, unknown>[]
const logger = pino({ level: 'silent' })

/** Embedded databases in folders. */
export async function embeddedPlaces(): Promise<Places> {
  const root = await mkdtemp(join(tmpdir(), 'firn-simulation-'))
  const empty = join(root, 'empty')
  await putDatabase(empty)
  return {
    async make(name) {
      await cp(empty, join(root, name), { recursive: true })
      return join(root, name)
    },
    async digest(folder) {
      const pool = await openEmbeddedPool({ folder, statementTimeoutMs: 60_000, maxWaiting: 10, logger })
      const client = await pool.patient.connect()
      try {
        return await digestOf(async (text) => (await client.query(text, [])).rows as Rows)
      } finally {
        client.release()
        await pool.end()
      }
    },
    drop: (name) => rm(join(root, name), { recursive: true, force: true }),
    close: () => rm(root, { recursive: true, force: true }),
  }
}

/** Databases of a Postgres server, where ranges are sent without waiting between statements. */
export async function serverPlaces(): Promise<Places> {
  const server = await startPostgres()
  const store = openStore({ ...storeAt(await server.create('empty')), logger })
  await store.open()
  await store.close()
  return {
    make: (name) => server.create(name, 'empty'),
    async digest(url) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return await digestOf(async (text) => (await client.query<Rows[number]>(text)).rows)
      } finally {
        await client.end()
      }
    },
    drop: server.drop,
    close: server.stop,
  }
}
