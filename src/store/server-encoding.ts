import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { StoreEncodingError } from './errors.ts'

/** The second one keeps the bytes that it is sent, which are UTF-8. */
const ENCODINGS = new Set(['UTF8', 'SQL_ASCII'])

/**
 * Contracts choose their names from all of Unicode: at the first character that the database has not, its chain would
 * stand still for good.
 * @throws StoreEncodingError
 */
export async function refuseOtherEncodings(pool: PostgresPool): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding
  if (encoding !== undefined && !ENCODINGS.has(encoding)) throw new StoreEncodingError(encoding)
}
