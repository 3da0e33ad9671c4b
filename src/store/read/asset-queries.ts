import type { Kysely } from 'kysely'
import { bytea } from '../bytea.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'
import { type AssetInfo, toAsset } from './utxo-record.ts'

export interface AssetQueries {
  /**
   * What is known of an asset. Names are missing while only outputs of it are indexed, not its making.
   * @param network name in the configuration
   * @param id hex
   */
  find(network: string, id: string): Promise<AssetInfo | undefined>
}

export function createAssetQueries(db: Kysely<Database>, numbers: ChainNumbers): AssetQueries {
  return {
    async find(network, id) {
      const row = await db
        .selectFrom('asset')
        .select(['id as asset_id', 'name as asset_name', 'symbol', 'denomination', 'type as asset_type'])
        .where('network', '=', await numbers.network(network))
        .where('id', '=', bytea(id))
        .executeTakeFirst()
      return row && toAsset(row)
    },
  }
}
