import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * The process that may write the index, for databases whose locks do not last as long as a session. The second key
 * makes a takeover wait for commits that hold the row's key; a renewal changes no key and does not wait.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create table leader_lease (
      name text primary key, token int8 not null, expires_at timestamptz not null, unique (name, token))`,
  ])
