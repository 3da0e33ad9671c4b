import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type QueryResult,
  type RawBuilder,
} from 'kysely'
import type { Db } from '../../database.ts'
import { StoreUnavailableError } from '../../errors.ts'
import type { Database } from '../../schema/index.ts'

/** A transaction whose statements are sent without waiting for earlier answers. */
export interface RangeTransaction {
  /** For statements that are awaited, in the same transaction. */
  readonly db: Db
  /**
   * Sends a statement after all earlier ones; the database runs them in this order while this process computes. Only
   * callers that need the answer await it: nothing is committed if it fails.
   */
  send<Row>(statement: RawBuilder<Row>): Promise<QueryResult<Row>>
}

export interface RangeConnections {
  readonly pool: PostgresPool
  /** False: the next statement is sent after the previous answer, so that one at a time is in memory. */
  readonly pipelined: boolean
}

/**
 * Commits what `work` has sent. All checks of `work` have to be done when it resolves; statements that it did not await
 * may still fail then: Postgres answers the following commit with a rollback.
 * @throws what `work` throws, or the error of the first statement that failed
 */
export async function inRangeTransaction<T>(
  { pool, pipelined }: RangeConnections,
  work: (tx: RangeTransaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const session = createSession(client, pipelined)
  try {
    void session.query('begin', [])
    const result = await work({ db: createDb(session), send: (statement) => sendOn(session, statement) })
    const { command } = await session.query('commit', [])
    if (session.failure !== undefined) throw session.failure
    if ((command as string) === 'ROLLBACK')
      throw new StoreUnavailableError('a range was rolled back instead of committed')
    return result
  } catch (error) {
    await session.query('rollback', []).catch(() => undefined)
    // After a failed statement all later ones fail because of it.
    throw session.failed(error) ? session.failure : error
  } finally {
    client.release()
  }
}

type Answer = PostgresQueryResult<unknown>

interface Session {
  query(sql: string, parameters: readonly unknown[]): Promise<Answer>
  /** The error of the first failed statement. */
  readonly failure: unknown
  /** Whether a statement failed with this error. */
  failed(error: unknown): boolean
}

function createSession(client: PostgresPoolClient, pipelined: boolean): Session {
  const errors: unknown[] = []
  let last: Promise<unknown> = Promise.resolve()
  return {
    query(sql, parameters) {
      const begin = (): Promise<Answer> => client.query<unknown>(sql, parameters)
      const answer = pipelined ? begin() : last.then(begin)
      last = answer.catch((error: unknown) => void errors.push(error))
      return answer
    },
    get failure() {
      return errors[0]
    },
    failed: (error) => errors.includes(error),
  }
}

/** Kysely over this one connection. */
function createDb(session: Session): Db {
  const client = { query: session.query as PostgresPoolClient['query'], release: () => {} }
  const pool = { connect: async () => client, end: async () => {} }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

const compiler = new Kysely<Database>({
  dialect: new PostgresDialect({
    pool: { connect: () => Promise.reject(new Error('never used')), end: async () => {} },
  }),
})

function sendOn<Row>(session: Session, statement: RawBuilder<Row>): Promise<QueryResult<Row>> {
  const { sql, parameters } = statement.compile(compiler)
  const answer = session
    .query(sql, parameters)
    .then(({ rowCount, rows }) => ({ numAffectedRows: BigInt(rowCount ?? 0), rows: rows as Row[] }))
  // If it is not awaited, the commit reports its failure.
  answer.catch(() => undefined)
  return answer
}
