import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * Containers of two to eight thousand bytes stay in their row. Cut into pieces of two thousand in a table of their own,
 * each piece took a row and an entry in an index.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, ['alter table container set (toast_tuple_target = 8160)'])
