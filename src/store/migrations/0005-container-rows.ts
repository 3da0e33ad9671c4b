import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * Keeps containers of two to eight thousand bytes in their row. Otherwise they are split into pieces of two thousand in
 * a separate table, with a row and an index entry for each piece.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, ['alter table container set (toast_tuple_target = 8160)'])
