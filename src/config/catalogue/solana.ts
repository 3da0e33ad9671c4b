import type { SolanaChainConfig } from '../schema.ts'
import { SOL } from './native-tokens.ts'
import { coingeckoList, publicUpstreams } from './public-upstream.ts'

/** Keyed by CAIP-2 reference: the first 32 characters of the genesis hash. */
export const solanaChains: Record<string, SolanaChainConfig> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': {
    name: 'Solana',
    upstreams: [
      // The foundation's servers allow 40 calls of one method in 10 seconds and count each entry of a batch.
      { url: 'https://api.mainnet-beta.solana.com', requestsPerSecond: 4, priority: 0 },
      ...publicUpstreams('https://solana.api.onfinality.io/public'),
      // Refuses lists of token accounts by program, and more than ten accounts in a call (403): usable for lamports
      // only.
      { url: 'https://solana-rpc.publicnode.com', requestsPerSecond: 15, priority: 1 },
    ],
    tokenLists: [coingeckoList('solana')],
    native: SOL,
    blockTimeMs: 400,
    explorer: 'https://explorer.solana.com',
    pricePlatform: 'solana',
  },
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1: {
    name: 'Solana Devnet',
    upstreams: [
      { url: 'https://api.devnet.solana.com', requestsPerSecond: 4, priority: 0 },
      ...publicUpstreams('https://solana-devnet.api.onfinality.io/public', 'https://solana-devnet.drpc.org'),
    ],
    tokenLists: [],
    native: SOL,
    blockTimeMs: 400,
    explorer: 'https://explorer.solana.com/?cluster=devnet',
  },
}
