import type { Kysely } from 'kysely'
import { OPEN_END } from '../schema/primary-index.ts'
import { run } from './statements.ts'

/**
 * Adds the asset to the indexes of rewards and stake, so that sums of AVAX read no table: each entry of an address is in
 * another block of it. Reads continue while both are built: the old ones are dropped afterwards, from when on nobody
 * reads the table until the step ends.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create index utxo_owner_rewarded on utxo_owner (address, chain, utxo) include (amount, asset, reward_type)
      where reward_type is not null`,
    `create index utxo_owner_stake on utxo_owner (address, chain, utxo) include (amount, asset)
      where staked_until = ${OPEN_END}`,
    'drop index utxo_owner_reward',
    'drop index utxo_owner_staked',
    'alter index utxo_owner_rewarded rename to utxo_owner_reward',
    'alter index utxo_owner_stake rename to utxo_owner_staked',
  ])
