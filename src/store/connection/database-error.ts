import { DeadlineError } from '../../errors.ts'
import { StoreUnavailableError } from '../errors.ts'

/**
 * SQL states that tell about the database and not about the statement: connection, a transaction that was silent or took too
 * long, roles and passwords, a database that is being restored, resources, shutdown.
 */
const UNAVAILABLE = /^(08|25P0[34]|28|3D|53|58|57P)/
/** Of a server that is a copy of another, perhaps since that one took its place. */
const READ_ONLY = '25006'
/** A prepared statement is there twice, or not at all: connections of this process share sessions of the server. */
const POOLED = /^(42P05|26000)$/
/** Node's words for a peer that is not there. */
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_)/
const GONE = /^(Connection terminated|Client has encountered|Cannot use a pool|timeout exceeded when trying to connect)/
const LATE = /^(Query read timeout|canceling statement due to)/
/** A statement was ended, a lock was not had in time: servers say so in any language. */
const LATE_CODE = /^(57014|55P03)$/

/** Turns what a driver rejects with into the store's errors, where it is no fault of the statement. */
export function databaseError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || error instanceof DeadlineError || !(error instanceof Error))
    return error
  const code = String((error as { code?: unknown }).code ?? '')
  if (LATE_CODE.test(code) || LATE.test(error.message))
    return new DeadlineError(`the database is late: ${error.message}`)
  if (code === READ_ONLY)
    return new StoreUnavailableError(`the database may not be written to: ${error.message}`, error)
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

/** Whether the server takes no writes: where another one took its place, a new connection may find that one. */
export const isReadOnly = (error: Error): boolean => (error as { code?: unknown }).code === READ_ONLY
