import { LRUCache } from 'lru-cache'
import type { FirnError } from '../../errors.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import { roomFor } from '../../lib/room-for.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import { accountFailure } from './account-failure.ts'
import { type AssetDescription, readAssetDescription, UnknownAssetError } from './node/asset-description.ts'

export type { AssetDescription } from './node/asset-description.ts'

/** A description, or the reason why there is none: without decimals no amount can be shown. */
export type DescribedAsset = AssetDescription | FirnError

export interface AssetDirectory {
  /** Describes assets by hex id, including assets on P and in C's shared memory: all are created on X. */
  describe(assetIds: Iterable<string>, call: CallOptions): Promise<Map<string, DescribedAsset>>
}

/** What our own index knows of an asset (hex id); undefined if nothing. Asked when nodes do not know it. */
export type IndexedAssets = (
  assetId: string,
  signal: AbortSignal | undefined,
) => Promise<Pick<AssetDescription, 'name' | 'symbol' | 'decimals'> | undefined>

export interface AssetDirectoryDeps {
  pool: UpstreamPool
  indexed?: IndexedAssets | undefined
  /** Milliseconds. */
  clock?: () => number
}

const CACHED = 20_000
const CONCURRENT = 16
/** A node that is behind catches up within seconds: until then polls do not ask again. */
export const ABSENT_AGAIN_MS = 5_000

/**
 * Asks `avm.getAssetDescription` once per asset; descriptions never change, so they are kept (20,000 at most). An asset
 * that somebody owns was created on X, so a node that does not know it is behind: the other nodes are asked, then our
 * own index, and until one answers, the wallet fails. With guessed decimals the amount would be wrong, and without the
 * asset the wallet would seem to hold less than it does.
 */
export function createAssetDirectory({ pool, indexed, clock = steadyNow }: AssetDirectoryDeps): AssetDirectory {
  const perf = { now: clock }
  const cache = new LRUCache<string, DescribedAsset>({ ...roomFor(CACHED), perf, ttlResolution: 0 })

  const load = async (hex: string, call: CallOptions): Promise<DescribedAsset> => {
    const assetId = idToCb58(hex)
    try {
      return await readAssetDescription(pool, assetId, call)
    } catch (thrown) {
      const error = accountFailure(thrown)
      const known = await indexed?.(hex, call.signal)
      return known ? { assetId, ...known } : error
    }
  }

  /** Failures of nodes are not kept: the next read may reach another node. */
  const keep = (hex: string, found: DescribedAsset): DescribedAsset => {
    if (found instanceof UnknownAssetError) cache.set(hex, found, { ttl: ABSENT_AGAIN_MS })
    else if (!(found instanceof Error)) cache.set(hex, found)
    return found
  }

  return {
    async describe(assetIds, call) {
      const wanted = [...new Set(assetIds)]
      const found = await mapBounded(wanted, CONCURRENT, async (hex): Promise<[string, DescribedAsset]> => {
        return [hex, cache.get(hex) ?? keep(hex, await load(hex, call))]
      })
      return new Map(found)
    },
  }
}
