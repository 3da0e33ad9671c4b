import type { PostgresPool } from 'kysely'
import { inTime } from '../../lib/in-time.ts'
import { StoreUnavailableError } from '../errors.ts'
import type { Caller } from './caller.ts'
import type { ConnectionPool } from './pool.ts'

/** A pool that is opened by its first use; a server that needs no store never starts a database. */
export interface LazyPool {
  /** The opened pool. Callers that come while it opens wait for the same opening; after a failure the next one retries. */
  open(): Promise<ConnectionPool>
  /** The pool when it is open. */
  readonly current: ConnectionPool | undefined
  readonly pool: PostgresPool & Pick<ConnectionPool, 'connect'>
  readonly own: PostgresPool
  readonly patient: PostgresPool
  readonly lease: PostgresPool
  close(): Promise<void>
}

/**
 * @param start opens and migrates; called again only after it failed
 * @param patienceMs longest a read waits for that: an index of a large table takes longer than any reader has time for; left
 *   out, it waits for as long as it takes
 */
export function createLazyPool(start: () => Promise<ConnectionPool>, patienceMs?: number): LazyPool {
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
    pool: {
      // Once it is open a read needs no clock.
      connect: async (caller?: Caller) =>
        (await (current === undefined ? openFor(patienceMs, open()) : open())).connect(caller),
      end: noEnd,
    },
    own: { connect: async () => (await open()).own.connect(), end: noEnd },
    patient: { connect: async () => (await open()).patient.connect(), end: noEnd },
    lease: { connect: async () => (await open()).lease.connect(), end: noEnd },
    close() {
      closing ??= end()
      return closing
    },
  }
}

/** The opening goes on without who has no more time for it. @throws StoreUnavailableError */
async function openFor(ms: number | undefined, opening: Promise<ConnectionPool>): Promise<ConnectionPool> {
  if (ms === undefined) return opening
  return inTime(opening, ms, () => {
    throw new StoreUnavailableError('the database is still being opened: the log says which step its schema is at')
  })
}
