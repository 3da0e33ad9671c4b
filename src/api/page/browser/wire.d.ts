import type { PageChain, PageFacts, PageIndex, PageStream } from '../types.ts'

/** What the balance API sends (openapi/balance.json), as far as the page uses it. */
export interface Token {
  name: string
  symbol: string
  decimals: number
  /** Smallest unit. */
  balance: string
  address?: string
  scanResult?: 'Benign' | 'Malicious' | 'Warning' | 'Spam'
  balanceInCurrency?: number
  price?: number
  priceChange24h?: number
  priceChangePercentage24h?: number
  unconfirmedBalance?: string
  unconfirmedBalanceInCurrency?: number
}

export interface Asset {
  assetId: string
  name: string
  symbol: string
  decimals: number
  balance: string
  type: 'native' | 'unknown'
}

/** P carries decimal strings, X and C lists of assets; keys of `atomic…` are blockchain ids. */
export interface Categories {
  [name: string]: string | Asset[] | Record<string, string | Asset[]> | undefined
}

export interface Balances {
  nativeTokenBalance: Token
  totalBalanceInCurrency?: number
  erc20TokenBalances?: Token[]
  splTokenBalances?: Token[]
  categories?: Categories
}

/** `error` is null exactly when there are balances; an internal error names neither chain nor account. */
export interface Item {
  caip2Id?: string
  networkType?: string
  id?: string
  balances?: Balances | null
  error: string | null
}

export type Chain = PageChain
export type Facts = PageFacts
export type Stream = PageStream
export type IndexReport = PageIndex

export type AccountKind = 'evm' | 'bitcoin' | 'solana' | 'avalanche' | 'xpub'

/** One pasted item that was recognised. */
export interface Account {
  kind: AccountKind
  /** As requested, without chain prefix. */
  id: string
  /** The networks on which it can exist. */
  side: 'mainnet' | 'testnet' | 'both'
  /** Of Avalanche's native chains, those named by the prefix; all if there was none. */
  letters: readonly ('P' | 'X' | 'C')[]
}

/** One chain and one account, answered exactly once. */
export interface Pair {
  chain: Chain
  id: string
}

/** One body for get-balances with the pairs that it requests. */
export interface Question {
  data: object[]
  pairs: Pair[]
}

/** One line of an account: a coin, a token or an asset. */
export interface Holding {
  name: string
  symbol: string
  decimals: number
  amount: string
  native: boolean
  /** Contract, mint or asset id. */
  address?: string
  verdict?: string
  price?: number
  value?: number
  /** Value now minus value a day ago. */
  change?: number
  changePercent?: number
}

/** A part of the native coin: staked, locked, in shared memory. */
export interface Part {
  label: string
  amount: string
  symbol: string
  decimals: number
  /** `held` adds up to the native balance, `apart` is not in it, `among` is counted in another part. */
  place: 'held' | 'apart' | 'among'
}

export interface Totals {
  asked: number
  answered: number
  failed: number
  /** Readings with holdings but without a total from the server. */
  unvalued: number
  /** Holdings without a price, in readings with a total. */
  unpriced: number
  /** Something may be in the sum more than once. */
  twice: boolean
  value: number
  /** Undefined when no price change is known. */
  change: number | undefined
  changePercent: number | undefined
}
