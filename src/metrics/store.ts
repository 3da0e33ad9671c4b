import { Gauge, type Registry } from 'prom-client'

/** Busy database connections, and callers that wait for one; both 0 until the store is used. */
export function createStoreInstruments(
  registry: Registry,
  store: { readonly load: { busy: number; waiting: number }; readonly isOpen: boolean },
): void {
  const registers = [registry]
  new Gauge({
    name: 'firn_store_connections_busy',
    help: 'Database connections at work.',
    registers,
    collect() {
      this.set(store.load.busy)
    },
  })
  new Gauge({
    name: 'firn_store_waiting',
    help: 'Callers that wait for a database connection.',
    registers,
    collect() {
      this.set(store.load.waiting)
    },
  })
  new Gauge({
    name: 'firn_store_open',
    help: '1 = the database is open.',
    registers,
    collect() {
      this.set(store.isOpen ? 1 : 0)
    },
  })
}
