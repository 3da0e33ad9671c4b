import { Type } from '@sinclair/typebox'
import { idToCb58 } from '../../lib/ids.ts'
import type { AssetInfo } from '../../store/index.ts'
import type { PrimaryChain } from './primary-chain.ts'
import { oneOf } from './schemas.ts'

/** Members of every asset amount (data API facts, section 1.5). */
export const assetMembers = {
  assetId: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Number(),
  type: oneOf(['secp256k1', 'nft']),
  amount: Type.String({ pattern: '^[0-9]+$', description: 'Smallest unit.' }),
}

const AVAX = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 }

/** Assets that were made on another network's X-chain, or before the index began, are named by their id. */
export function presentAsset(asset: AssetInfo, chain: PrimaryChain) {
  const assetId = idToCb58(asset.id)
  const known = assetId === chain.identity.avaxAssetId ? AVAX : asset
  return {
    assetId,
    name: known.name ?? assetId,
    symbol: known.symbol ?? assetId.slice(0, 4),
    denomination: known.denomination ?? 0,
    type: asset.type === 'nft' ? ('nft' as const) : ('secp256k1' as const),
  }
}
