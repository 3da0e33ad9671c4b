import type { Kysely } from 'kysely'
import { OPEN_END } from '../schema/primary-index.ts'
import { run } from './statements.ts'

/**
 * Adds the origin to the index of unspent entries, so that a page by time reads no other block. Reads continue while it
 * is built; the old index is dropped afterwards.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create index utxo_owner_unspent on utxo_owner (address, chain, created_time, utxo) include (amount, asset, kind,
      other_chain, direction, owners, threshold, locktime, stakeable_locktime, stake_start, stake_end, staked_until,
      origin) where consumed_time = ${OPEN_END}`,
    'drop index utxo_owner_open',
    'alter index utxo_owner_unspent rename to utxo_owner_open',
  ])
