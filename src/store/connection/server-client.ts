import type { PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { CancelledError } from '../../errors.ts'
import { StoreLateError } from '../errors.ts'
import { preparedName } from '../prepared.ts'
import { cancelStatement } from './cancel-statement.ts'
import { databaseError, isReadOnly } from './database-error.ts'

/**
 * A server connection in the form that Kysely expects.
 *
 * Statements use callbacks and their own timer. With the driver's promises, and likewise with its `query_timeout`, V8
 * keeps every answer and everything that was sent until the next collection of the whole heap: a fifth of all
 * allocations was copied twice, with pauses of several milliseconds.
 *
 * A connection on which the server refused a write is not reused: another server may have replaced it. Nor is one that
 * is given back within a transaction, whose end is not sent once the caller has left: whoever came next would read the
 * database as it was then, and what they write would be lost.
 *
 * @param timeoutMs after this long the server counts as gone; the connection is not reused
 * @param signal aborts when nobody waits for the answers any more: a statement that keeps running is then cancelled,
 * and its connection is not reused, as the cancellation might hit the next statement
 */
export function createServerClient(client: pg.PoolClient, timeoutMs: number, signal?: AbortSignal): PostgresPoolClient {
  let late: StoreLateError | CancelledError | undefined
  let readOnly: Error | undefined
  const query = (sql: string, parameters: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (late !== undefined) return reject(late)
      if (signal?.aborted) return reject(new CancelledError())
      const stopListening = whenLeft(signal, () => {
        late = new CancelledError()
        cancelStatement(client)
      })
      const timer = setTimeout(() => {
        late = new StoreLateError(`the database is late: no answer within ${timeoutMs} ms`)
        reject(late)
      }, timeoutMs)
      client.query(statementOf(sql, parameters), (error, result) => {
        clearTimeout(timer)
        stopListening()
        if (error && isReadOnly(error)) readOnly = error
        if (error) reject(late instanceof CancelledError ? late : databaseError(error))
        else resolve(result)
      })
    })
  const isInTransaction = (): boolean => client.getTransactionStatus() !== 'I'
  return {
    query: query as PostgresPoolClient['query'],
    // Released with an error, or `true`, it is closed.
    release: () => client.release(late ?? readOnly ?? isInTransaction()),
  }
}

/** A statement this short ends sooner than a new connection would be made, milliseconds. */
const SHORT_MS = 200

/** @returns call it when the statement has ended */
function whenLeft(signal: AbortSignal | undefined, end: () => void): () => void {
  if (signal === undefined) return () => undefined
  let timer: NodeJS.Timeout | undefined
  const onLeft = (): void => {
    timer = setTimeout(end, SHORT_MS)
  }
  signal.addEventListener('abort', onLeft, { once: true })
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onLeft)
  }
}

function statementOf(text: string, parameters: readonly unknown[]): pg.QueryConfig {
  const name = preparedName(text)
  const values = [...parameters]
  return name === undefined ? { text, values } : { name, text, values }
}
