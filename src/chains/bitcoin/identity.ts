import type { IdentityProbe } from '../../upstream/types.ts'
import { type BitcoinNetworkName, bitcoinNetworks } from './network.ts'

const ESPLORA_HASH = /([0-9a-f]{64})/i
/** Matches this member only: before 0.5 a server that still follows the chain sends its newest block at every path. */
const BLOCKBOOK_HASH = /"blockHash"\s*:\s*"([0-9a-f]{64})"/i

/** How a pool of REST servers of one kind identifies the network of each: by the hash of block 0. */
export const bitcoinIdentity = (kind: 'esplora' | 'blockbook', network: BitcoinNetworkName): IdentityProbe => ({
  network: `bitcoin ${network}`,
  path: kind === 'esplora' ? '/block-height/0' : '/api/v2/block-index/0',
  parse: (text) => (kind === 'esplora' ? ESPLORA_HASH : BLOCKBOOK_HASH).exec(String(text))?.[1],
  matches: (hash) => hash.toLowerCase() === bitcoinNetworks[network].genesisHash,
})
