import { Type } from '@sinclair/typebox'
import { FirnError } from '../../../errors.ts'
import { idFromCb58, idToCb58 } from '../../../lib/bytes/ids.ts'
import type { AssetInfo, OutputKind } from '../../../store/index.ts'
import { oneOf } from '../schemas.ts'
import type { PrimaryChain, PrimaryDeps, ToldAsset } from './chain.ts'

/** Members of every asset amount. */
export const assetMembers = {
  assetId: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Number(),
  type: oneOf(['secp256k1', 'nft'], { title: 'PrimaryNetworkAssetType' }),
  amount: Type.String({ pattern: '^[0-9]+$', description: 'Smallest unit.' }),
}

const AVAX = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 }

/** An answer needs the asset's definition and no node provides it now: without decimals the amount would be wrong. */
class AssetNotDescribedError extends FirnError {
  constructor(assetId: string, cause: FirnError | undefined) {
    super(`the index does not know how many decimals the asset ${assetId} has, and no node tells it now`, {
      code: 'ASSET_NOT_DESCRIBED',
      status: 503,
      retryable: true,
      expose: true,
      cause,
    })
  }
}

/**
 * The same entries with their assets described. The index knows only the id of an asset that was created before the
 * index of X begins, or while X lags or is not indexed: the nodes are asked for the rest.
 * @throws AssetNotDescribedError when no node answers
 */
export async function withAssets<E extends { asset: AssetInfo; kind: OutputKind }>(
  deps: Pick<PrimaryDeps, 'describeAssets'>,
  chain: PrimaryChain,
  entries: readonly E[],
): Promise<readonly E[]> {
  const avax = idFromCb58(chain.identity.avaxAssetId)
  const bare = entries.filter(({ asset }) => asset.denomination === undefined && asset.id !== avax)
  if (bare.length === 0) return entries
  const described = await deps.describeAssets(chain.side, new Set(bare.map(({ asset }) => asset.id)))
  const told = new Map<string, ToldAsset>()
  for (const { asset } of bare) {
    const found = described.get(asset.id)
    if (!found || found instanceof FirnError) throw new AssetNotDescribedError(idToCb58(asset.id), found)
    told.set(asset.id, found)
  }
  return entries.map((entry) => {
    const found = told.get(entry.asset.id)
    if (!found) return entry
    // Nodes do not report the kind of an asset; one with NFTs among its outputs is an NFT asset.
    const type = entry.asset.type ?? (entry.kind.startsWith('nft') ? ('nft' as const) : undefined)
    return { ...entry, asset: { ...entry.asset, ...found, ...(type === undefined ? {} : { type }) } }
  })
}

/** The entries of a page share their assets. */
const texts = new WeakMap<AssetInfo, string>()

function idText(asset: AssetInfo): string {
  const known = texts.get(asset)
  if (known !== undefined) return known
  const text = idToCb58(asset.id)
  texts.set(asset, text)
  return text
}

/** @param asset AVAX, or one of `withAssets` */
export function presentAsset(asset: AssetInfo, chain: PrimaryChain) {
  const assetId = idText(asset)
  const known = assetId === chain.identity.avaxAssetId ? AVAX : asset
  if (known.denomination === undefined) throw new RangeError(`asset ${assetId} was not described`)
  return {
    assetId,
    name: known.name ?? assetId,
    symbol: known.symbol ?? assetId.slice(0, 4),
    denomination: known.denomination,
    type: asset.type === 'nft' ? ('nft' as const) : ('secp256k1' as const),
  }
}
