import type { NativeToken } from '../../capabilities.ts'
import type { AssetDescription } from '../assets.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'

const NAME = 'Avalanche'
const SYMBOL = 'AVAX'
const DECIMALS = 9

/** AVAX as X, P and C's shared memory count it: 1 AVAX = 1,000,000,000 nAVAX. The asset id is known once the facts are. */
export function avaxToken(network: AvalancheNetwork): NativeToken {
  const assetId = network.known()?.avaxAssetId
  return {
    name: NAME,
    symbol: SYMBOL,
    decimals: DECIMALS,
    // Wallets find the AVAX price for all chains by this id.
    internalId: 'NATIVE-avax',
    priceId: 'avalanche-2',
    logoUri:
      'https://images.ctfassets.net/gcj8jwzm6086/5VHupNKwnDYJvqMENeV7iJ/3e4b8ff10b69bfa31e70080a4b142cd0/avalanche-avax-logo.svg',
    ...(assetId === undefined ? {} : { assetId }),
  }
}

/** AVAX described like any other asset. */
export function avaxDescription(facts: NetworkFacts): AssetDescription {
  return { assetId: facts.avaxAssetId, name: NAME, symbol: SYMBOL, decimals: DECIMALS }
}
