import type { NativeToken } from '../../capabilities.ts'
import type { AssetDescription } from '../assets.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'

/** The network's coin as X, P and C's shared memory count it. The asset id is known once the facts are. */
export function avaxToken(network: AvalancheNetwork): NativeToken {
  const assetId = network.known()?.avaxAssetId
  return assetId === undefined ? network.native : { ...network.native, assetId }
}

/** The same described like any other asset. */
export function avaxDescription(
  { native: { name, symbol, decimals } }: AvalancheNetwork,
  facts: NetworkFacts,
): AssetDescription {
  return { assetId: facts.avaxAssetId, name, symbol, decimals }
}
