import type { Kysely } from 'kysely'
import { bytea } from '../bytea.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'
import { type AssetInfo, toAsset } from './utxos/utxo-record.ts'

export interface AssetQueries {
  /**
   * An asset's data. Names are missing while only outputs of it are indexed, not its creation.
   * @param network name in the configuration
   * @param id hex
   */
  find(network: string, id: string): Promise<AssetInfo | undefined>
  /** The same for several, by their ids; ids that no block names are left out. */
  findAll(network: string, ids: readonly string[]): Promise<ReadonlyMap<string, AssetInfo>>
}

export function createAssetQueries(db: Kysely<Database>, numbers: ChainNumbers): AssetQueries {
  const findAll: AssetQueries['findAll'] = async (network, ids) => {
    if (ids.length === 0) return new Map()
    const rows = await db
      .selectFrom('asset')
      .select(['id as asset_id', 'name as asset_name', 'symbol', 'denomination', 'type as asset_type'])
      .where('network', '=', await numbers.network(network))
      .where('id', 'in', ids.map(bytea))
      .execute()
    return new Map(rows.map((row) => [row.asset_id, toAsset(row)]))
  }
  return { findAll, find: async (network, id) => (await findAll(network, [id])).get(id) }
}
