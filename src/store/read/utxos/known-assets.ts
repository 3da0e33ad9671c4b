import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import type { Database } from '../../schema/index.ts'
import { type AssetInfo, toAsset } from './utxo-record.ts'

/** Assets by their numbers in rows; a number without an asset is left out. */
export type KnownAssets = (numbers: Iterable<number>) => Promise<ReadonlyMap<number, AssetInfo>>

const REMEMBERED = 10_000

/**
 * An asset's creation never changes, so it is read once per process and rows need not contain it. While the creation is
 * not indexed yet, the row is read each time.
 */
export function createKnownAssets(db: Kysely<Database>): KnownAssets {
  const made = new LRUCache<number, AssetInfo>(roomFor(REMEMBERED))
  return async (numbers) => {
    const found = new Map<number, AssetInfo>()
    const missing: number[] = []
    for (const number of numbers) {
      const asset = made.get(number)
      if (asset === undefined) missing.push(number)
      else found.set(number, asset)
    }
    if (missing.length === 0) return found
    const rows = await db
      .selectFrom('asset')
      .select(['number', 'id as asset_id', 'name as asset_name', 'symbol', 'denomination', 'type as asset_type'])
      .where('number', 'in', missing)
      .execute()
    for (const row of rows) {
      const asset = toAsset(row)
      found.set(row.number, asset)
      if (asset.denomination !== undefined) made.set(row.number, asset)
    }
    return found
  }
}
