import type { NetworkSetup } from '../network-setup.ts'
import type { GenesisSource } from './genesis-source.ts'

export interface KnownGenesisDeps {
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  /** The genesis of the network whose X-chain has this ID (hex), if there is a file of it. */
  known(xChainId: string): GenesisSource | undefined
  inferred: GenesisSource
}

/**
 * The genesis of a network that only its nodes can identify. For a public network it comes from the known file, because
 * inferring it takes three readings of all of P, or is refused for its size. Genesis assets of X come from nodes at
 * once.
 */
export function createKnownGenesis({ setup, known, inferred }: KnownGenesisDeps): GenesisSource {
  const sourceOf = async (signal: AbortSignal) => known((await setup(signal)).ids.xChainId) ?? inferred
  return {
    load: async (genesisId, signal) => (await sourceOf(signal)).load(genesisId, signal),
    assets: inferred.assets,
    isInferred: async (signal) => (await sourceOf(signal)).isInferred(signal),
  }
}
