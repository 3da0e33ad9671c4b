import type { PostgresPool } from 'kysely'
import { StoreUnavailableError } from '../errors.ts'
import type { ConnectionPool } from './pool.ts'

/** A pool that is opened by its first use; a server that needs no store never starts a database. */
export interface LazyPool {
  /** The opened pool. Callers that come while it opens wait for the same opening; after a failure the next one retries. */
  open(): Promise<ConnectionPool>
  /** The pool when it is open. */
  readonly current: ConnectionPool | undefined
  readonly pool: PostgresPool
  readonly own: PostgresPool
  readonly patient: PostgresPool
  readonly lease: PostgresPool
  close(): Promise<void>
}

/** @param start opens and migrates; called again only after it failed */
export function createLazyPool(start: () => Promise<ConnectionPool>): LazyPool {
  let opening: Promise<ConnectionPool> | undefined
  let current: ConnectionPool | undefined
  let closing: Promise<void> | undefined
  const open = (): Promise<ConnectionPool> => {
    if (closing !== undefined) return Promise.reject(new StoreUnavailableError('the store is closed'))
    opening ??= start().then(
      (pool) => {
        current = pool
        return pool
      },
      (error: unknown) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }
  const end = async (): Promise<void> => {
    const pool = await opening?.catch(() => undefined)
    current = undefined
    await pool?.end()
  }
  const noEnd = async (): Promise<void> => {}
  return {
    open,
    get current() {
      return current
    },
    pool: { connect: async () => (await open()).connect(), end: noEnd },
    own: { connect: async () => (await open()).own.connect(), end: noEnd },
    patient: { connect: async () => (await open()).patient.connect(), end: noEnd },
    lease: { connect: async () => (await open()).lease.connect(), end: noEnd },
    close() {
      closing ??= end()
      return closing
    },
  }
}
