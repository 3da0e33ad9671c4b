/** A chain that balances are read from. Names and symbols are as configured. */
import type { ChainLetter } from '../../lib/primary-network.ts'
export interface PageChain {
  caip2Id: string
  name: string
  testnet: boolean
  /** P, X and C of an Avalanche network, by the letter that people know. */
  letter?: ChainLetter
  /** Where people look its blocks up. */
  explorer?: string
}

/** What the page has to know of this server before it asks for anything. */
export interface PageFacts {
  chains: readonly PageChain[]
  currencies: readonly string[]
  /** Human-readable prefixes of X, P and C addresses, by network. */
  prefixes: { mainnet: readonly string[]; testnet: readonly string[] }
  /** Blockchain id → what people call that chain, as far as known; shared memory is keyed by such ids. */
  blockchains: Readonly<Record<string, string>>
  /** Header of the credential that the balance API demands; left out where it demands none. */
  credentialHeader?: string
}

/** Progress of one indexed chain. Heights are decimal strings; what is not known is left out. */
export interface PageStream {
  name: string
  /** As the indexer names it; left out where another process indexes. */
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
  /** Failures in a row; why is told to the log only. */
  failures?: number
}

export interface PageIndex {
  enabled: boolean
  /** `leading`: this process indexes; `standby` and `elsewhere`: another one does. */
  role?: 'stopped' | 'standby' | 'leading' | 'elsewhere'
  streams: readonly PageStream[]
}
