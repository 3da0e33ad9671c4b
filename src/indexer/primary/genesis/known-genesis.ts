import type { NetworkSetup } from '../network-setup.ts'
import type { GenesisBook } from './genesis-book.ts'

export interface KnownGenesisDeps {
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  /** The genesis of the network whose X-chain has this ID (hex), as far as there is a file of it. */
  known(xChainId: string): GenesisBook | undefined
  inferred: GenesisBook
}

/**
 * The genesis of a network that only its nodes can name: of a public one from the file that everybody has, as to infer it
 * takes three readings of all of P, or is refused for its size. What X is born with nodes tell at once.
 */
export function createKnownGenesis({ setup, known, inferred }: KnownGenesisDeps): GenesisBook {
  const book = async (signal: AbortSignal) => known((await setup(signal)).ids.xChainId) ?? inferred
  return {
    load: async (genesisId, signal) => (await book(signal)).load(genesisId, signal),
    assets: inferred.assets,
    isInferred: async (signal) => (await book(signal)).isInferred(signal),
  }
}
