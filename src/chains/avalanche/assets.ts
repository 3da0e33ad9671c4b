import { LRUCache } from 'lru-cache'
import { BadAnswerError, type FirnError } from '../../errors.ts'
import { idToCb58 } from '../../lib/ids.ts'
import { mapBounded } from '../../lib/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import { accountFailure } from './account-failure.ts'
import { recordOf, textOf, uintOf } from './node/answers.ts'
import { ask } from './node/ask.ts'
import { saysAbsent } from './node/refusals.ts'

/** What an asset is called. Never blank: a blank name falls back to the asset id. */
export interface AssetDescription {
  /** CB58 */
  assetId: string
  name: string
  symbol: string
  /** 0 to 32 */
  decimals: number
}

export interface AssetDirectory {
  /**
   * Descriptions of assets named by hex id, or why one could not be read. Also for assets on P and in C's shared
   * memory: all are created on X.
   */
  describe(assetIds: Iterable<string>, call: CallOptions): Promise<Map<string, AssetDescription | FirnError>>
}

const CACHED = 20_000
const CONCURRENT = 16
/** An id that creates no asset today may be one tomorrow (the node was behind): ask again after this. */
const UNKNOWN_MS = 60_000

/** Asks `avm.getAssetDescription` once per asset; descriptions never change, so they are kept (20,000 at most). */
export function createAssetDirectory(pool: UpstreamPool): AssetDirectory {
  const cache = new LRUCache<string, AssetDescription>({ max: CACHED })

  const load = async (hex: string, call: CallOptions): Promise<AssetDescription> => {
    const assetId = idToCb58(hex)
    try {
      const answer = await ask(pool, '/ext/bc/X', 'avm.getAssetDescription', { assetID: assetId }, call)
      const description = descriptionOf(assetId, answer)
      cache.set(hex, description)
      return description
    } catch (error) {
      // Without decimals an amount means something else: trouble of the node must not look like an unknown asset.
      if (!saysAbsent(error)) throw error
      const unknown = { assetId, name: assetId, symbol: assetId, decimals: 0 }
      cache.set(hex, unknown, { ttl: UNKNOWN_MS })
      return unknown
    }
  }

  return {
    async describe(assetIds, call) {
      const wanted = [...new Set(assetIds)]
      const found = await mapBounded(
        wanted,
        CONCURRENT,
        async (hex): Promise<[string, AssetDescription | FirnError]> => {
          return [hex, cache.get(hex) ?? (await load(hex, call).catch(accountFailure))]
        },
      )
      return new Map(found)
    },
  }
}

function descriptionOf(assetId: string, answer: unknown): AssetDescription {
  const entry = recordOf(answer, 'getAssetDescription')
  const decimals = Number(uintOf(entry['denomination'], 'getAssetDescription denomination'))
  if (decimals > 32) throw new BadAnswerError(`getAssetDescription: ${decimals} decimals`)
  return {
    assetId,
    name: textOf(entry['name'], 'getAssetDescription name').trim() || assetId,
    symbol: textOf(entry['symbol'], 'getAssetDescription symbol').trim() || assetId,
    decimals,
  }
}
