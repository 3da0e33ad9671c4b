import type { NativeToken } from '../../capabilities.ts'
import type { AssetDescription } from '../assets.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'

/** The network's coin on X, P and in C's shared memory. The asset id is present once the network's facts are known. */
export function avaxToken(network: AvalancheNetwork): NativeToken {
  const assetId = network.known()?.avaxAssetId
  return assetId === undefined ? network.native : { ...network.native, assetId }
}

/** The same coin, described like any other asset. */
export function avaxDescription(
  { native: { name, symbol, decimals } }: AvalancheNetwork,
  facts: NetworkFacts,
): AssetDescription {
  return { assetId: facts.avaxAssetId, name, symbol, decimals }
}
