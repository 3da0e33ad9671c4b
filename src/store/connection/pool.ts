import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Caller } from './caller.ts'
import type { HeldLock } from './leader-lock.ts'

/**
 * The database interface for the layers above: Kysely's pool plus the few things that differ between the embedded
 * database and a server. On the wire of both, `bytea` is lower-case hex without prefix, `int8` is bigint, `numeric` is
 * text.
 */
export interface ConnectionPool extends PostgresPool {
  readonly kind: 'embedded' | 'server'
  /**
   * For one read. A caller's reads share turns with those of other callers and end when it leaves, as far as the
   * database can end them: the embedded database finishes a statement that it has begun.
   * @throws CancelledError when the caller leaves before its turn
   */
  connect(caller?: Caller): Promise<PostgresPoolClient>
  /**
   * For the process's own statements (health, tokens, aliases), few and short: they do not wait behind callers' reads.
   */
  readonly own: PostgresPool
  /** For work that may take minutes (migrations, commits of whole ranges, upkeep): without the timeouts of reads. */
  readonly patient: PostgresPool
  /** For a lease, which expires soon: renewals do not wait for reads or commits. */
  readonly lease: PostgresPool
  /**
   * Fails everything that runs on `patient` and `lease`, and starts everything else on new connections: a process that
   * may not write any more must not wait for a server that may never answer. Only with a server.
   */
  abandon?(): void
  /** Connections that can work at the same time; 1 for the embedded database. */
  readonly size: number
  /**
   * Waits for a lock that only one process per database can hold.
   * @param onHeld called when another process is found to hold it; never with the embedded database, which other
   *   processes cannot open
   * @throws CancelledError when `signal` is aborted first
   */
  hold(key: number, signal: AbortSignal, onHeld?: () => void): Promise<HeldLock>
  /** Callers that hold a connection, and callers that wait for one. */
  readonly load: { busy: number; waiting: number }
}

/** Types whose text form is converted when read: int8 and bytea. */
export const INT8_OID = 20
export const BYTEA_OID = 17

/** Postgres writes bytea as `\x…`; ids and addresses use the hex without the prefix everywhere in this program. */
export const parseBytea = (text: string): string => text.slice(2)
