import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { StoreEncodingError } from './errors.ts'

/** SQL_ASCII stores the bytes unchanged, which are UTF-8. */
const ENCODINGS = new Set(['UTF8', 'SQL_ASCII'])

/**
 * Contracts choose names from all of Unicode: at the first character that the database cannot store, its chain would
 * stop for good.
 * @throws StoreEncodingError
 */
export async function refuseOtherEncodings(pool: PostgresPool): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding
  if (encoding !== undefined && !ENCODINGS.has(encoding)) throw new StoreEncodingError(encoding)
}
