import type { Socket } from 'node:net'
import type { PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { FirnError, messageOf } from '../../errors.ts'
import { StoreUnavailableError } from '../errors.ts'
import type { Caller } from './caller.ts'
import { databaseError } from './database-error.ts'
import { createFairSemaphore, type Purpose } from './fair-semaphore.ts'
import { holdLock } from './leader-lock.ts'
import { BYTEA_OID, type ConnectionPool, INT8_OID, parseBytea } from './pool.ts'
import { createServerClient } from './server-client.ts'

export interface ServerPoolOptions {
  databaseUrl: string
  /** Most connections. */
  size: number
  /** Longest run of a statement, and longest wait for a lock or a connection. */
  statementTimeoutMs: number
  /** Callers that may wait for a connection at once; more are refused. */
  maxWaiting: number
  logger: Logger
  /** Longest pause between two statements of a range's transaction; default 30 s. */
  silenceMs?: number
}

/** P, X and C commit at the same time, and one is for whatever else the indexer does; further streams take turns. */
export const PATIENT_CONNECTIONS = 4
const PATIENT_TIMEOUT_MS = 3_600_000
/**
 * A statement may take long, but no process pauses for so long between two of them: a silent one is paused or lost
 * power, and its locks block the standby.
 */
const SILENCE_MS = 30_000
/**
 * The host name may point to another server by now, while the old one still answers reads with old data. Connections in
 * constant use would stay on it for ever.
 */
const LIFETIME_MS = 300_000
/** The system starts probing a vanished server after this long, and gives up some ten seconds later. */
const KEEP_ALIVE_MS = 10_000
/** The server cancels a late statement; if it stays silent for this much longer, it is gone. */
const GRACE_MS = 5_000

/**
 * Session settings that statements and answers rely on, whatever the server, the database or the role sets: another
 * bytea format would be read as other bytes, backslashes in a statement would mean something else, and transactions of
 * another isolation level fail on conflicts. A limit for whole transactions, which Postgres has since 17, would abort
 * every attempt at a large range or a new index; here statements are limited instead.
 */
const SESSION = [
  "set bytea_output = 'hex'",
  'set standard_conforming_strings = on',
  "set default_transaction_isolation = 'read committed'",
  "select set_config('transaction_timeout', '0', false) where current_setting('server_version_num')::int >= 170000",
].join('; ')

/** A server connection, also outside the pool (for locks that last as long as their session). */
function connectionSettings(options: ServerPoolOptions): pg.ClientConfig {
  return {
    connectionString: options.databaseUrl,
    application_name: 'firn',
    connectionTimeoutMillis: options.statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: { getTypeParser },
  }
}

/** The driver's pools. */
function createPools(options: ServerPoolOptions): { pool: pg.Pool; patient: pg.Pool; lease: pg.Pool } {
  const maxLifetimeSeconds = LIFETIME_MS / 1_000
  const brief: pg.PoolConfig = {
    ...connectionSettings(options),
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds,
  }
  const pool = new pg.Pool({ ...brief, max: options.size })
  const patient = new pg.Pool({
    ...connectionSettings(options),
    max: PATIENT_CONNECTIONS,
    // A range's statements are sent without waiting for answers.
    pipeline: true,
    statement_timeout: PATIENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.silenceMs ?? SILENCE_MS,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds,
  })
  const lease = new pg.Pool({ ...brief, max: 1 })
  for (const one of [pool, patient, lease]) attend(one, options.logger)
  return { pool, patient, lease }
}

/**
 * Connections to a Postgres server, made when first needed. Connections that break while idle are dropped and logged,
 * so that a restart of the server fails only the calls in flight.
 */
export function openServerPool(options: ServerPoolOptions): ConnectionPool {
  const { pool, patient, lease } = createPools(options)
  const cuts = [patient, lease].map(cutting)
  // As many turns as connections, so the driver's own first-come queue stays empty: who waits there for as long as a
  // connection may take to be made is refused as if the server were gone.
  const semaphore = createFairSemaphore(options.size, options.maxWaiting)
  const workSemaphore = createFairSemaphore(PATIENT_CONNECTIONS, Number.POSITIVE_INFINITY)
  const connect = async (purpose: Purpose, caller?: Caller): Promise<PostgresPoolClient> => {
    const giveBack = await semaphore.acquire(options.statementTimeoutMs, purpose, caller)
    return inTurn(giveBack, connectTo(pool, options.statementTimeoutMs + GRACE_MS, caller?.signal))
  }
  const connectForWork = async (): Promise<PostgresPoolClient> => {
    const giveBack = await workSemaphore.acquire(PATIENT_TIMEOUT_MS, 'work')
    return inTurn(giveBack, connectTo(patient, PATIENT_TIMEOUT_MS + GRACE_MS))
  }
  return {
    kind: 'server',
    size: options.size,
    get load() {
      return semaphore.load
    },
    connect: (caller) => connect('read', caller),
    own: { connect: () => connect('own'), end: async () => {} },
    hold: (key, signal, onHeld) => holdLock(connectionSettings(options), key, signal, onHeld),
    patient: { connect: connectForWork, end: async () => {} },
    lease: { connect: () => connectTo(lease, options.statementTimeoutMs + GRACE_MS), end: async () => {} },
    abandon: () => {
      for (const cut of cuts) cut()
    },
    end: async () => {
      await Promise.all([pool.end(), patient.end(), lease.end()])
    },
  }
}

/** A connection whose turn ends with its release, or if there is none. */
async function inTurn(giveBack: () => void, connecting: Promise<PostgresPoolClient>): Promise<PostgresPoolClient> {
  try {
    const client = await connecting
    const release = (): void => {
      client.release()
      giveBack()
    }
    return { query: client.query, release }
  } catch (error) {
    giveBack()
    throw error
  }
}

/** A client's `end` would wait for pending answers. */
const cut = (client: pg.PoolClient): void =>
  void (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()

function attend(pool: pg.Pool, logger: Logger): void {
  pool.on('error', (error) => logger.warn({ err: error }, 'database connection lost'))
  pool.on('connect', (client) => {
    // A connection cut between two statements of a transaction only emits an error; the next statement fails.
    client.on('error', () => undefined)
    // Without these settings answers would be read as others than they are.
    client.query(SESSION).catch((error: unknown) => {
      logger.warn({ err: error }, 'database session not set up')
      cut(client)
    })
  })
}

/**
 * @returns cuts the current connections, including those that wait for the next statement, which would never be
 * answered either
 */
function cutting(pool: pg.Pool): () => void {
  const open = new Set<pg.PoolClient>()
  pool.on('connect', (client) => open.add(client))
  pool.on('remove', (client) => open.delete(client))
  return () => {
    for (const client of open) cut(client)
  }
}

async function connectTo(pool: pg.Pool, timeoutMs: number, signal?: AbortSignal): Promise<PostgresPoolClient> {
  try {
    return createServerClient(await pool.connect(), timeoutMs, signal)
  } catch (error) {
    throw refusal(error)
  }
}

/**
 * Anything that prevents a connection (TLS on one side only, an expired certificate) means that the server is
 * unavailable.
 */
function refusal(error: unknown): unknown {
  const known = databaseError(error)
  return known instanceof FirnError
    ? known
    : new StoreUnavailableError(`the database is not there: ${messageOf(error)}`, error)
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8_OID) return BigInt
  if (oid === BYTEA_OID) return parseBytea
  return pg.types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown
}
