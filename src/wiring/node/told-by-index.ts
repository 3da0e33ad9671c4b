import { CHAIN_LETTERS, type ChainLetter, type Side } from '../../facts/primary-network.ts'

export interface ToldByIndexDeps {
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

/** Tells of the newest blocks of the own index, by the names of its streams, whatever is served of their chains. */
export function tellOfIndex({ side, evm, evmIds, shown }: ToldByIndexDeps) {
  return (stream: string, height: bigint): void => {
    for (const chain of CHAIN_LETTERS) if (stream === `${side}:${chain}`) shown.primary(chain, height)
    for (const [blockchainId, id] of evmIds)
      if (stream === `eip155:${id}` && Object.hasOwn(evm, blockchainId)) shown.l1(blockchainId, height)
  }
}
