import type { NetworkSetup } from '../network-setup.ts'
import type { GenesisBook } from './genesis-book.ts'

export interface KnownGenesisDeps {
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  /** The genesis of the network whose X-chain has this ID (hex), if there is a file of it. */
  known(xChainId: string): GenesisBook | undefined
  inferred: GenesisBook
}

/**
 * The genesis of a network that only its nodes can identify. For a public network it comes from the known file, because
 * inferring it takes three readings of all of P, or is refused for its size. Genesis assets of X come from nodes at
 * once.
 */
export function createKnownGenesis({ setup, known, inferred }: KnownGenesisDeps): GenesisBook {
  const book = async (signal: AbortSignal) => known((await setup(signal)).ids.xChainId) ?? inferred
  return {
    load: async (genesisId, signal) => (await book(signal)).load(genesisId, signal),
    assets: inferred.assets,
    isInferred: async (signal) => (await book(signal)).isInferred(signal),
  }
}
