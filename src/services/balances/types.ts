import type {
  AddressAccount,
  BalanceSource,
  BalancesByNetworkType,
  NetworkType,
  WalletAccount,
} from '../../chains/capabilities.ts'
import type { Currency } from '../../facts/currencies.ts'
import type { ScanVerdict } from '../../market/index.ts'

/** One requested account; wallets (X, P, C) have addresses and keys, the others are a single address. */
export type Account = AddressAccount | WalletAccount

/** Any balances a chain family reports. */
export type Balances = BalancesByNetworkType[NetworkType]

/** A chain as the service sees it: a source, and how long its answers count as current. */
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
  /** Who asks; left out: nobody in particular. */
  client?: string
}

/** Fiat side of an amount; unknown members are left out, never zero. */
export interface Fiat {
  value?: number
  price?: number
  change24h?: number
  changePercent24h?: number
}

/** Market data of one token of an answer. */
export interface TokenMarket extends Fiat {
  scanResult?: ScanVerdict
}

/** Balances with their fiat values; the same object while neither balance nor price changes. */
export interface PricedBalances {
  networkType: NetworkType
  balances: Balances
  currency: Currency
  native: Fiat
  /** Bitcoin: value of the unconfirmed part. */
  unconfirmedValue?: number
  /** By token address; contains every token to be shown. */
  tokens: ReadonlyMap<string, TokenMarket>
  /** Native + all shown tokens. */
  total?: number
  /** When prices that could not be read in time are requested again. Milliseconds of the reader's clock. */
  until?: number
}

export type BalanceItem =
  | { ok: true; caip2Id: string; networkType: NetworkType; id: string; priced: PricedBalances }
  | { ok: false; caip2Id: string; networkType: NetworkType; id: string; message: string }
