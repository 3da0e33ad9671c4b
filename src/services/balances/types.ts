import type {
  AddressAccount,
  BalanceSource,
  BalancesByNetworkType,
  NetworkType,
  ScanResult,
  WalletAccount,
} from '../../chains/capabilities.ts'
import type { Currency } from '../../lib/currencies.ts'

/** One requested account; wallets (X, P, C) carry addresses and keys, the others are their address. */
export type Account = AddressAccount | WalletAccount

/** Any balances a chain family reports. */
export type Balances = BalancesByNetworkType[NetworkType]

/** A chain as the service sees it: a source, and for how long its answers count as current. */
export interface BalanceChain {
  source: BalanceSource<Account, Balances>
  /** About one block; milliseconds. */
  cacheMs: number
}

/** All accounts that one request asks of one chain. */
export interface ChainQuery {
  caip2Id: string
  networkType: NetworkType
  accounts: Account[]
}

export interface BalanceQuery {
  chains: ChainQuery[]
  currency: Currency
  showUntrustedTokens: boolean
}

/** Fiat side of an amount; every member is left out when unknown, never zero. */
export interface Fiat {
  value?: number
  price?: number
  change24h?: number
  changePercent24h?: number
}

/** What the market knows about one token of an answer. */
export interface TokenMarket extends Fiat {
  scanResult?: ScanResult
}

/** Balances with their fiat values; the same object while neither balance nor price changed. */
export interface PricedBalances {
  networkType: NetworkType
  balances: Balances
  currency: Currency
  native: Fiat
  /** Bitcoin: value of the unconfirmed part. */
  unconfirmedValue?: number
  /** By token address; holds every token that is to be shown. */
  tokens: ReadonlyMap<string, TokenMarket>
  /** Native + all shown tokens. */
  total?: number
  /** Where prices could not be read in time: when they are asked for again. Milliseconds of the reader's clock. */
  until?: number
}

export type BalanceItem =
  | { ok: true; caip2Id: string; networkType: NetworkType; id: string; priced: PricedBalances }
  | { ok: false; caip2Id: string; networkType: NetworkType; id: string; message: string }
