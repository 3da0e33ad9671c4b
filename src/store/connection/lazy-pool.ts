import type { PostgresPool } from 'kysely'
import { inTime } from '../../lib/waiting/in-time.ts'
import { StoreUnavailableError } from '../errors.ts'
import type { Caller } from './caller.ts'
import type { ConnectionPool } from './pool.ts'

/** A pool that is opened on first use; a server that needs no store never starts a database. */
export interface LazyPool {
  /** The opened pool. Callers that arrive during opening share it; after a failure the next one retries. */
  open(): Promise<ConnectionPool>
  /** The pool if it is open. */
  readonly current: ConnectionPool | undefined
  /** Somebody wanted it in vain, and it is not open yet. */
  readonly hasFailed: boolean
  readonly pool: PostgresPool & Pick<ConnectionPool, 'connect'>
  readonly own: PostgresPool
  readonly patient: PostgresPool
  readonly lease: PostgresPool
  close(): Promise<void>
}

/**
 * @param start opens and migrates; called again only after it failed
 * @param patienceMs longest time that a read waits for opening: creating an index of a large table takes longer than
 * any reader can wait
 */
export function createLazyPool(start: () => Promise<ConnectionPool>, patienceMs: number): LazyPool {
  let opening: Promise<ConnectionPool> | undefined
  let current: ConnectionPool | undefined
  let closing: Promise<void> | undefined
  let hasFailed = false
  const open = (): Promise<ConnectionPool> => {
    if (closing !== undefined) return Promise.reject(new StoreUnavailableError('the store is closed'))
    opening ??= start().then(
      (pool) => {
        current = pool
        hasFailed = false
        return pool
      },
      (error: unknown) => {
        opening = undefined
        hasFailed = true
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
    get hasFailed() {
      return hasFailed
    },
    pool: {
      // Once the pool is open a read needs no timer.
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

/** Opening continues when a caller times out. @throws StoreUnavailableError */
async function openFor(ms: number, opening: Promise<ConnectionPool>): Promise<ConnectionPool> {
  return inTime(opening, ms, () => {
    throw new StoreUnavailableError('the database is still being opened: the log says which step its schema is at')
  })
}
