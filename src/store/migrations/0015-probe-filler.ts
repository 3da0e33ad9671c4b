import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** What the health check writes to see whether the database's disk has room: not compressed, and outside of its row. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    'alter table store_probe add column if not exists filler bytea',
    'alter table store_probe alter column filler set storage external',
  ])
