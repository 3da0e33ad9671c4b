import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { openEmbeddedPool, openServerPool } from '../../../src/store/connection/index.ts'
import type { ConnectionPool } from '../../../src/store/connection/pool.ts'
import { assembleStore, openStore, type Store } from '../../../src/store/store.ts'
import { runDatabases } from './databases.ts'
import { takeDatabase } from './emptied-databases.ts'
import { migratedArchive } from './migrated-archive.ts'

const logger = pino({ level: 'silent' })
const TIMEOUT_MS = 20_000
const CONNECTIONS = 4
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
    const databases = runDatabases()
    afterAll(() => databases.drop())
    const open: OpenTestStore = async () => openStore({ databaseUrl: await databases.create(), dataDir: '', logger })
    tests(open, 'server')
  })
}

/**
 * A fresh store on the run's Postgres for tests of other rooms, which takes half of what the embedded database takes to
 * start and to answer; close it when done.
 * @param seen gets the connections below it once they are open, for tests that look at the tables themselves
 */
export function openTestStore(seen?: (pool: ConnectionPool) => void): Store {
  const databases = runDatabases()
  const open = async (): Promise<ConnectionPool> => {
    const settings = { databaseUrl: await databases.create(), size: CONNECTIONS, statementTimeoutMs: TIMEOUT_MS }
    const pool = openServerPool({ ...settings, maxWaiting: 1_000, logger })
    seen?.(pool)
    return pool
  }
  const store = assembleStore('server', open, logger)
  const { close } = store
  return Object.assign(store, {
    close: async () => {
      await close()
      await databases.drop()
    },
  })
}

/** As `openTestStore`, on the embedded database, in memory. */
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
