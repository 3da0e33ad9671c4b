import type { PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { DeadlineError } from '../../errors.ts'
import { preparedName } from '../prepared.ts'
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
 */
export function createServerClient(client: pg.PoolClient, timeoutMs: number): PostgresPoolClient {
  let late: DeadlineError | undefined
  let readOnly: Error | undefined
  const query = (sql: string, parameters: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (late !== undefined) return reject(late)
      const timer = setTimeout(() => {
        late = new DeadlineError(`the database is late: no answer within ${timeoutMs} ms`)
        reject(late)
      }, timeoutMs)
      client.query(statementOf(sql, parameters), (error, result) => {
        clearTimeout(timer)
        if (error && isReadOnly(error)) readOnly = error
        if (error) reject(databaseError(error))
        else resolve(result)
      })
    })
  // A connection that is given back with an error is closed.
  return { query: query as PostgresPoolClient['query'], release: () => client.release(late ?? readOnly) }
}

function statementOf(text: string, parameters: readonly unknown[]): pg.QueryConfig {
  const name = preparedName(text)
  const values = [...parameters]
  return name === undefined ? { text, values } : { name, text, values }
}
