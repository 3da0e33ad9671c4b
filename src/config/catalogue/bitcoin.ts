import type { BitcoinChainConfig } from '../schema.ts'
import { BTC } from './native-tokens.ts'

/** Keyed by CAIP-2 reference: the first 32 hex digits of the genesis block's hash. */
export const bitcoinChains: Record<string, BitcoinChainConfig> = {
  '000000000019d6689c085ae165831e93': {
    name: 'Bitcoin',
    network: 'mainnet',
    upstreams: [
      { kind: 'esplora', url: 'https://blockstream.info/api', requestsPerSecond: 10, priority: 0 },
      { kind: 'esplora', url: 'https://mempool.space/api', requestsPerSecond: 10, priority: 0 },
      { kind: 'esplora', url: 'https://mempool.emzy.de/api', requestsPerSecond: 5, priority: 1 },
      { kind: 'electrum', url: 'tls://blockstream.info:700', priority: 1 },
      { kind: 'electrum', url: 'tls://electrum.blockstream.info:50002', priority: 1 },
    ],
    native: BTC,
    blockTimeMs: 600_000,
    explorer: 'https://mempool.space',
  },
  '000000000933ea01ad0ee984209779ba': {
    name: 'Bitcoin Testnet',
    network: 'testnet',
    upstreams: [
      { kind: 'esplora', url: 'https://blockstream.info/testnet/api', requestsPerSecond: 10, priority: 0 },
      { kind: 'esplora', url: 'https://mempool.space/testnet/api', requestsPerSecond: 10, priority: 0 },
      { kind: 'electrum', url: 'tls://blockstream.info:993', priority: 1 },
      { kind: 'electrum', url: 'tls://electrum.blockstream.info:60002', priority: 1 },
    ],
    native: BTC,
    blockTimeMs: 600_000,
    explorer: 'https://mempool.space/testnet',
  },
}
