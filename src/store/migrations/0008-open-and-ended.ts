import type { Kysely } from 'kysely'
import { OPEN_END } from '../schema/primary-index.ts'
import { run } from './statements.ts'

/**
 * Two indexes instead of one over all intervals: what is unspent, which pages and balances of now read, is a third of it
 * and stays in memory. Each entry is in one of them, so that writing costs what it did.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create index utxo_owner_open on utxo_owner (address, chain, created_time, utxo) include (${SUMMED})
      where consumed_time = ${OPEN_END}`,
    `create index utxo_owner_ended on utxo_owner (address, chain, consumed_time, created_time, utxo) include (${SUMMED})
      where consumed_time < ${OPEN_END}`,
    'drop index utxo_owner_interval',
  ])

/** What sums need, so that they do not visit the table. */
const SUMMED = `amount, asset, kind, other_chain, direction, owners, threshold, locktime, stakeable_locktime, stake_start,
  stake_end, staked_until`
