import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** Which network a name's index belongs to, so that it can be served while no node can identify the network. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create table network_identity (
      network int2 primary key references network, network_id int8 not null, x_chain_id bytea not null,
      c_chain_id bytea not null, avax_asset_id bytea not null)`,
  ])
