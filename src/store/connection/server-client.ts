import type { PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { CancelledError, DeadlineError } from '../../errors.ts'
import { preparedName } from '../prepared.ts'
import { cancelStatement } from './cancel-statement.ts'
import { databaseError, isReadOnly } from './database-error.ts'

/**
 * A connection of a server in the shape that Kysely asks for.
 *
 * Statements go by callback and with a timer of our own. With the driver's promises, and likewise with its
 * `query_timeout`, V8 keeps every answer and all that was sent until the next collection of the whole heap: a fifth of
 * what was allocated was copied twice, with pauses of several milliseconds.
 *
 * A connection over which the server took no write is not used again: another server may have its place by now.
 *
 * @param timeoutMs after this long the server is taken for gone; the connection is not used again
 * @param signal aborts when nobody waits for the answers any more: a statement that goes on for a while then is ended, and its
 *   connection is not used again, as the end might come to the next statement
 */
export function createServerClient(client: pg.PoolClient, timeoutMs: number, signal?: AbortSignal): PostgresPoolClient {
  let late: DeadlineError | CancelledError | undefined
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
        late = new DeadlineError(`the database is late: no answer within ${timeoutMs} ms`)
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
  // A connection that is given back with an error is closed.
  return { query: query as PostgresPoolClient['query'], release: () => client.release(late ?? readOnly) }
}

/** Short statements are over before their connection would be made anew, milliseconds. */
const SHORT_MS = 200

/** @returns to be called when the statement is over */
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
