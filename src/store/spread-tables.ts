import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { StoreSpreadError } from './errors.ts'

/** Every table of the index. */
export const INDEX_TABLES = [
  'asset',
  'block',
  'blockchain',
  'container',
  'evm_block',
  'evm_contract',
  'evm_holding',
  'evm_nft',
  'evm_nft_changed',
  'evm_nft_metadata',
  'evm_participant',
  'evm_transfer',
  'evm_tx',
  'evm_untraced',
  'l1_validator',
  'network',
  'network_identity',
  'staker',
  'staker_owner',
  'stream',
  'subnet',
  'tx',
  'utxo',
  'utxo_owner',
] as const

/**
 * Checks the catalog of Citus, if there is one. There a commit becomes visible on one shard after the other, so a sum
 * over several addresses can miss money or count it twice. Reference and local tables (`n`) are complete on each node
 * and harmless.
 * @throws StoreSpreadError when a table of the index is distributed over shards
 */
export async function refuseSpreadTables(pool: PostgresPool): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const catalog = await sql<{ known: boolean }>`select to_regclass('pg_dist_partition') is not null as known`.execute(
    db,
  )
  if (catalog.rows[0]?.known !== true) return
  const spread = await sql<{ name: string }>`
    select c.relname::text as name
    from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid::oid
    where d.partmethod::text <> 'n' and c.relnamespace = current_schema()::regnamespace
      and c.relname::text = any(${[...INDEX_TABLES]}::text[])
    order by 1`.execute(db)
  if (spread.rows.length > 0) throw new StoreSpreadError(spread.rows.map(({ name }) => name))
}
