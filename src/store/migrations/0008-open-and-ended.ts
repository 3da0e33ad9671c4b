import type { Kysely } from 'kysely'
import { OPEN_END } from '../schema/primary-index.ts'
import { run } from './statements.ts'

/**
 * Two indexes instead of one over all intervals: unspent entries, which pages and current balances read, are a third of
 * them and stay in memory. Each entry is in one of the two, so writing costs the same.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create index utxo_owner_open on utxo_owner (address, chain, created_time, utxo) include (${SUMMED})
      where consumed_time = ${OPEN_END}`,
    `create index utxo_owner_ended on utxo_owner (address, chain, consumed_time, created_time, utxo) include (${SUMMED})
      where consumed_time < ${OPEN_END}`,
    'drop index utxo_owner_interval',
  ])

/** Columns that sums need, so that they do not read the table. */
const SUMMED = `amount, asset, kind, other_chain, direction, owners, threshold, locktime, stakeable_locktime, stake_start,
  stake_end, staked_until`
