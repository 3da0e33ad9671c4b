import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * Contracts that said of more tokens than one commit queues that their metadata changed: those from `low` to `high`
 * are queued later, some at a time, from `next` on; then, where it was said `again` of earlier ones, from `low` on.
 * `due_at`: unix seconds of the last turn.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create table if not exists evm_nft_changed (
      contract bytea not null, stream int2 not null, low numeric(78) not null, high numeric(78) not null,
      next numeric(78) not null, again boolean not null, due_at int8 not null, primary key (contract, stream))`,
  ])
