import { catalogue } from './catalogue/index.ts'

/** File with the genesis of a public network, by the blockchain ID (CB58) of its X-chain; undefined for others. */
export const publicGenesisFile = (xBlockchainId: string): string | undefined =>
  Object.values(catalogue.avalanche).find((network) => network?.xBlockchainId === xBlockchainId)?.genesisFile
