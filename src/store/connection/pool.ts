import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Caller } from './caller.ts'
import type { HeldLock } from './leader-lock.ts'

/**
 * What the layers above see of a database: Kysely's pool plus the few things that differ between the embedded database
 * and a server. On the wire of both: `bytea` is lower-case hex without prefix, `int8` is bigint, `numeric` is text.
 */
export interface ConnectionPool extends PostgresPool {
  readonly kind: 'embedded' | 'server'
  /**
   * For one read. Those of a caller share turns with those of others, and end when it leaves, as far as the database can end
   * them: the embedded one goes on with a statement that it has begun.
   * @throws CancelledError when the caller leaves before its turn
   */
  connect(caller?: Caller): Promise<PostgresPoolClient>
  /** For the process' own questions (health, tokens, aliases), few and short: they do not wait behind callers' reads. */
  readonly own: PostgresPool
  /** For work that may take minutes (migrations, commits of whole ranges, upkeep): without the timeouts of reads. */
  readonly patient: PostgresPool
  /** For a lease, which is over soon: its renewals wait for nobody's reads or commits. */
  readonly lease: PostgresPool
  /**
   * Ends what runs on `patient` and `lease` now, with an error, and begins all else on new connections: who may not write
   * any more must not wait for a server that may never answer. Only where there is such a server.
   */
  abandon?(): void
  /** Connections that can work at the same time; 1 for the embedded database. */
  readonly size: number
  /**
   * Waits for a lock that only one process of this database can hold.
   * @throws CancelledError when `signal` is aborted first
   */
  hold(key: number, signal: AbortSignal): Promise<HeldLock>
  /** How many callers hold a connection and how many wait for one. */
  readonly load: { busy: number; waiting: number }
}

/** Types whose text form is changed on the way in: int8 and bytea. */
export const INT8_OID = 20
export const BYTEA_OID = 17

/** Postgres writes bytea as `\x…`; the hex after it is the form that ids and addresses have everywhere in this program. */
export const parseBytea = (text: string): string => text.slice(2)
