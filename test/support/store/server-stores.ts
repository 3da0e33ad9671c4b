import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { openStore, type Store } from '../../../src/store/index.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

/** A Postgres of its own for the tests of a describe block, and stores that are closed behind them. */
export function useServerStores(options: { statementTimeoutMs?: number } = {}) {
  let server: PostgresServer
  const stores: Store[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await server.stop()
  })
  return {
    server: (): PostgresServer => server,
    connect(databaseUrl: string): Store {
      const store = openStore({ databaseUrl, dataDir: '', logger: pino({ level: 'silent' }), ...options })
      stores.push(store)
      return store
    },
  }
}
