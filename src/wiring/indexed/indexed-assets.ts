import type { IndexedAssets } from '../../chains/avalanche/index.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import type { IndexReader } from '../../store/index.ts'

/** An opening, busy or unavailable database must not delay a read of balances up to its deadline. Milliseconds. */
const PATIENCE_MS = 3_000

/** Assets of a network as defined by their creation in the index of X; an asset's id is the hash of its container. */
export function createIndexedAssets({ assets }: Pick<IndexReader, 'assets'>) {
  return (network: string): IndexedAssets =>
    async (assetId, signal) => {
      const known = assets.find(network, assetId).catch(() => undefined)
      const found = await inTime(known, PATIENCE_MS, () => undefined, signal)
      const { name, symbol, denomination } = found ?? {}
      if (name === undefined || symbol === undefined || denomination === undefined) return undefined
      const id = idToCb58(assetId)
      return { name: name.trim() || id, symbol: symbol.trim() || id, decimals: denomination }
    }
}
