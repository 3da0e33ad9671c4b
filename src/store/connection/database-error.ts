import { StoreLateError, StoreUnavailableError } from '../errors.ts'

/**
 * SQL states that concern the database, not the statement: connection, a transaction that was silent or took too long,
 * roles and passwords, a database that is being restored, resources, shutdown.
 */
const UNAVAILABLE = /^(08|25P0[34]|28|3D|53|58|57P)/
/** From a server that is a copy of another, perhaps since that one replaced it. */
const READ_ONLY = '25006'
/** The role lacks a right on what the statement names. */
const FORBIDDEN = '42501'
const DISK_FULL = '53100'
/** A prepared statement exists twice, or not at all: connections of this process share sessions of the server. */
const POOLED = /^(42P05|26000)$/
/** Node's error codes for an unreachable peer. */
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_)/
const GONE = /^(Connection terminated|Client has encountered|Cannot use a pool|timeout exceeded when trying to connect)/
const LATE = /^(Query read timeout|canceling statement due to)/
/** A statement was cancelled or a lock timed out: the code is the same in any language of the server. */
const LATE_CODE = /^(57014|55P03)$/

/** Converts driver errors into the store's errors if the statement is not at fault. */
export function databaseError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || error instanceof StoreLateError || !(error instanceof Error))
    return error
  const code = String((error as { code?: unknown }).code ?? '')
  if (LATE_CODE.test(code) || LATE.test(error.message))
    return new StoreLateError(`the database is late: ${error.message}`)
  if (code === READ_ONLY)
    return new StoreUnavailableError(`the database may not be written to: ${error.message}`, error)
  if (code === FORBIDDEN) return new StoreUnavailableError(`the database denies a right: ${error.message}`, error)
  if (code === DISK_FULL) return new StoreUnavailableError(`the disk of the database is full: ${error.message}`, error)
  if (POOLED.test(code))
    return new StoreUnavailableError(
      `a pooler in front of the database does not carry prepared statements (PgBouncer does since 1.21, with max_prepared_statements): ${error.message}`,
      error,
    )
  if (UNAVAILABLE.test(code) || NETWORK.test(code) || GONE.test(error.message)) {
    return new StoreUnavailableError(`the database is not there: ${error.message}`, error)
  }
  return error
}

/** Whether the server is read-only: if another server replaced it, a new connection may reach that one. */
export const isReadOnly = (error: Error): boolean => (error as { code?: unknown }).code === READ_ONLY
