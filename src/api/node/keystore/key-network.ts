import { type ChainLetter, chainOfAlias } from '../../../facts/primary-network.ts'
import type { AddressRules } from './service-address.ts'

/** What key methods need to know about the network that is served under /ext. */
export interface KeyNetwork {
  /** May ask a node. @throws FirnError when none answers */
  facts(signal: AbortSignal): Promise<{ hrp: string; blockchainIds: Readonly<Record<ChainLetter, string>> }>
  /** Blockchain id (cb58) for an alias or id; case-sensitive. */
  lookup(alias: string): string | undefined
}

/** The rules for addresses of one chain. */
export async function addressRules(
  network: KeyNetwork,
  chain: ChainLetter,
  signal: AbortSignal,
): Promise<AddressRules> {
  const { hrp, blockchainIds } = await network.facts(signal)
  const known = new Set(Object.values(blockchainIds))
  return {
    hrp,
    blockchainId: blockchainIds[chain],
    lookup(alias) {
      // A directory may know these names before their ids.
      const builtIn = chainOfAlias(alias)
      if (builtIn !== undefined) return blockchainIds[builtIn]
      return known.has(alias) ? alias : network.lookup(alias)
    },
  }
}
