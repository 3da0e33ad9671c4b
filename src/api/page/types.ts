import type { ChainLetter } from '../../facts/primary-network.ts'

/** A chain that balances are read from. Names and symbols are as configured. */
export interface PageChain {
  caip2Id: string
  name: string
  testnet: boolean
  /** P, X and C of an Avalanche network, by their usual letter. */
  letter?: ChainLetter
  /** Block explorer for people. */
  explorer?: string
}

/** What the page must know about this server before it requests anything. */
export interface PageFacts {
  chains: readonly PageChain[]
  currencies: readonly string[]
  /** Human-readable prefixes of X, P and C addresses, by network. */
  prefixes: { mainnet: readonly string[]; testnet: readonly string[] }
  /** Blockchain id → usual name of that chain, if known; shared memory is keyed by such ids. */
  blockchains: Readonly<Record<string, string>>
  /** Header of the credential that the balance API requires; left out if it requires none. */
  credentialHeader?: string
}

/** Progress of one indexed chain. Heights are decimal strings; unknown members are left out. */
export interface PageStream {
  name: string
  /** The indexer's name for it; left out where another process indexes. */
  phase?: string
  height?: string
  tip?: string
  /** Over the last minute. */
  blocksPerSecond?: number
  /** Until the tip, at that rate. */
  etaSeconds?: number
  /** Since the stored tip was last known to be the chain's. */
  ageSeconds?: number
  stalled?: boolean
  /** Consecutive failures; the reason is only in the log. */
  failures?: number
}

export interface PageIndex {
  enabled: boolean
  /** `leading`: this process indexes; `starting`: not yet; `standby` and `elsewhere`: another one does. */
  role?: 'stopped' | 'starting' | 'standby' | 'leading' | 'elsewhere'
  streams: readonly PageStream[]
}
