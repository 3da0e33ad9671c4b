import { CHAIN_LETTERS, type ChainLetter, type Side } from '../../facts/primary-network.ts'

export interface OnIndexedDeps {
  /** The network that /ext serves. */
  side: Side | undefined
  /** EVM endpoints by blockchain id: of the L1s that are served, among others. */
  evm: Readonly<Record<string, unknown>>
  /** EVM chain ids by blockchain id. */
  evmIds: ReadonlyMap<string, string>
  /** Clients are shown this block: what nodes are asked next is no older. */
  shown: {
    primary(chain: ChainLetter, height: bigint): void
    l1(blockchainId: string, height: bigint): void
  }
}

/** To be called with each newest block of the own index, by the name of its stream: clients are shown it from then on. */
export function createOnIndexed({ side, evm, evmIds, shown }: OnIndexedDeps) {
  return (stream: string, height: bigint): void => {
    for (const chain of CHAIN_LETTERS) if (stream === `${side}:${chain}`) shown.primary(chain, height)
    for (const [blockchainId, id] of evmIds)
      if (stream === `eip155:${id}` && Object.hasOwn(evm, blockchainId)) shown.l1(blockchainId, height)
  }
}
