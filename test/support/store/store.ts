import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { openEmbeddedPool } from '../../../src/store/connection/index.ts'
import type { ConnectionPool } from '../../../src/store/connection/pool.ts'
import { assembleStore, openStore, type Store } from '../../../src/store/store.ts'
import { takeDatabase } from './emptied-databases.ts'
import { migratedArchive } from './migrated-archive.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

const logger = pino({ level: 'silent' })
const TIMEOUT_MS = 20_000
/** Making a database has no hurry on a machine that does other things. */
const MAKING_MS = 300_000

/** Opens a store that nobody else uses, migrated and empty; it is closed behind the test. */
export type OpenTestStore = () => Promise<Store>

/**
 * Runs the same tests on both databases: the embedded one (in memory, from an archive of a migrated folder) and a real
 * Postgres server (a copy of a migrated database).
 */
export function describeStores(title: string, tests: (open: OpenTestStore, kind: Store['kind']) => void): void {
  describeBoth(title, (open, kind) => tests(closing(open), kind))
}

/** As `describeStores`, over one store of each kind that is filled once: for tests that only read. */
export function describeFilledStores(
  title: string,
  fill: (store: Store) => Promise<void>,
  tests: (store: () => Store) => void,
): void {
  describeBoth(title, (open) => {
    let store: Store
    beforeAll(async () => {
      store = await open()
      await fill(store)
    }, MAKING_MS)
    afterAll(() => store?.close())
    tests(() => store)
  })
}

function describeBoth(title: string, tests: (open: OpenTestStore, kind: Store['kind']) => void): void {
  describe(`${title} (embedded)`, () => {
    beforeAll(async () => {
      await migratedArchive()
    }, MAKING_MS)
    tests(() => openMemoryStore(), 'embedded')
  })
  describe(`${title} (server)`, () => {
    let server: PostgresServer | undefined
    let count = 0
    beforeAll(async () => {
      server = await startPostgres()
      const template = openStore({ databaseUrl: await server.create('migrated'), dataDir: '', logger })
      await template.open()
      await template.close()
    }, MAKING_MS)
    afterAll(() => server?.stop())
    const open: OpenTestStore = async () => {
      // Never skipped: a store that was tried on one database only is not tried.
      if (server === undefined) throw new Error('the test Postgres is not running')
      const databaseUrl = await server.create(`store_${++count}`, 'migrated')
      return openStore({ databaseUrl, dataDir: '', logger })
    }
    tests(open, 'server')
  })
}

/**
 * A fresh store in memory for tests of other rooms; close it when done.
 * @param seen gets the connections below it once they are open, for tests that look at the tables themselves
 */
export async function openMemoryStore(seen?: (pool: ConnectionPool) => void): Promise<Store> {
  const archive = await migratedArchive()
  const settings = { folder: undefined, statementTimeoutMs: TIMEOUT_MS, maxWaiting: 1_000, logger }
  const open = async (): Promise<ConnectionPool> => {
    const pool = await openEmbeddedPool({ ...settings, archive }, takeDatabase)
    seen?.(pool)
    return pool
  }
  return assembleStore('embedded', open, logger)
}

function closing(open: OpenTestStore): OpenTestStore {
  const opened: Store[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  })
  return async () => {
    const store = await open()
    opened.push(store)
    return store
  }
}
