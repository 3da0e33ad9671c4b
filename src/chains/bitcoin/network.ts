import { type Network, networks } from 'bitcoinjs-lib'
import { BadAnswerError } from '../../errors.ts'
import type { HeadProbe, IdentityProbe } from '../../upstream/types.ts'

export type BitcoinNetworkName = 'mainnet' | 'testnet' | 'regtest'

interface NetworkFacts {
  /** Version bytes and HRP of the addresses. */
  forms: Network
  /** Hash of block 0 as explorers show it. Distinguishes testnet from regtest, which share their base58 forms. */
  genesisHash: string
}

export const bitcoinNetworks: Record<BitcoinNetworkName, NetworkFacts> = {
  mainnet: {
    forms: networks.bitcoin,
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  },
  testnet: {
    forms: networks.testnet,
    genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  },
  regtest: {
    forms: networks.regtest,
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  },
}

/** The public network that a CAIP-2 reference names (first 32 hex digits of its genesis hash), if it is one of ours. */
export const networkOfReference = (caip2Id: string): BitcoinNetworkName | undefined => {
  const reference = caip2Id.slice(caip2Id.indexOf(':') + 1)
  return (['mainnet', 'testnet'] as const).find((name) => bitcoinNetworks[name].genesisHash.startsWith(reference))
}

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

/** Blockbook's status of itself and of its node. */
interface BlockbookStatus {
  blockbook?: { bestHeight?: unknown }
  backend?: { blocks?: unknown; error?: unknown }
}

const blockbookHeight = (text: string): unknown => (JSON.parse(text) as BlockbookStatus).blockbook?.bestHeight

/**
 * Without its node a Blockbook leaves out the mempool without saying so in an address; while it catches up on many
 * blocks its balances are old.
 */
const blockbookDoubt = (text: string): string | undefined => {
  const { blockbook, backend } = JSON.parse(text) as BlockbookStatus
  if (backend?.error) return 'its node does not answer'
  const behind = Number(backend?.blocks) - Number(blockbook?.bestHeight)
  return behind > BITCOIN_LAG_BLOCKS ? `${behind} blocks behind its node` : undefined
}

/** How a pool of REST servers of one kind follows each server's height: one that is stuck reports old balances. */
export const bitcoinHeadProbe = (kind: 'esplora' | 'blockbook'): HeadProbe => ({
  path: kind === 'esplora' ? '/blocks/tip/height' : '/api/v2',
  parse(document) {
    const height = String(kind === 'esplora' ? document : blockbookHeight(String(document))).trim()
    if (!/^[0-9]{1,10}$/.test(height)) throw new BadAnswerError('no height')
    return BigInt(height)
  },
  ...(kind === 'blockbook' && { doubt: (document) => blockbookDoubt(String(document)) }),
  intervalMs: 15_000,
})

/** Blocks are ten minutes apart: one may not have reached a server yet, but not two. */
export const BITCOIN_LAG_BLOCKS = 1

/** Limits of one Bitcoin chain. */
export interface BitcoinLimits {
  /** Accounts of one read; further accounts are refused, each with its own error. */
  maxAccounts: number
  /** REST requests of one read in flight at once (the pool has its own limit over all reads). */
  maxConcurrent: number
}

export const bitcoinLimits: BitcoinLimits = { maxAccounts: 1_000, maxConcurrent: 16 }

/** Limits of the Electrum client. */
export interface ElectrumLimits {
  connectTimeoutMs: number
  /** Longest wait for the answers of one pipelined round. */
  answerTimeoutMs: number
  /** A connection without calls is closed after this. */
  idleMs: number
  /** No call starts on an older connection: its name may refer to another server by now. */
  lifeMs: number
  /** Longest accepted line in bytes. */
  maxLineBytes: number
  /** Calls in one turn at the server (`createTurns`); the rest of a round waits for another turn. */
  maxPipelined: number
  /** A server that failed is asked last for this long, doubled with each further failure up to `maxBackoffMs`. */
  backoffMs: number
  maxBackoffMs: number
}

export const electrumLimits: ElectrumLimits = {
  connectTimeoutMs: 3_000,
  answerTimeoutMs: 6_000,
  idleMs: 60_000,
  lifeMs: 300_000,
  maxLineBytes: 1_048_576,
  maxPipelined: 100,
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
}

/** Requests that may be sent per second, over all of these servers. */
export const requestsPerSecondOf = (
  servers: readonly { requestsPerSecond?: number | undefined }[],
  limits: { requestsPerSecond: number },
): number => servers.reduce((sum, { requestsPerSecond }) => sum + (requestsPerSecond ?? limits.requestsPerSecond), 0)
