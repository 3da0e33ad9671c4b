import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * Blocks without traces, from `low` to `high`. Earlier versions recorded none, and did not index addresses of imports
 * to C and exports from it: all blocks that they indexed are checked again.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create table if not exists evm_untraced (
      stream int2 not null, low int8 not null, high int8 not null, primary key (stream, low))`,
    `insert into evm_untraced (stream, low, high)
      select s.id, first.height, s.height from stream s cross join lateral (
        select height from evm_block b where b.stream = s.id order by height limit 1) first
      where s.height is not null on conflict do nothing`,
  ])
