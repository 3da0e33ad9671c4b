import type { Registry } from 'prom-client'
import { readGauge } from './read-gauge.ts'

/** Busy database connections, and callers that wait for one; both 0 until the store is used. */
export function createStoreInstruments(
  registry: Registry,
  store: { readonly load: { busy: number; waiting: number }; readonly isOpen: boolean },
): void {
  readGauge(registry, 'firn_store_connections_busy', 'Database connections at work.', () => store.load.busy)
  readGauge(registry, 'firn_store_waiting', 'Callers that wait for a database connection.', () => store.load.waiting)
  readGauge(registry, 'firn_store_open', '1 = the database is open.', () => (store.isOpen ? 1 : 0))
}
