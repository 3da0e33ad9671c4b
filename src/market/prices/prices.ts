import type { Currency } from '../../facts/currencies.ts'
import { absoluteChange } from './fiat.ts'

/** Price of one whole unit. The same object is returned until the price changes. */
export interface Quote {
  price: number
  /** Absolute, in the currency. */
  change24h?: number
  /** Percent, not a fraction. */
  changePercent24h?: number
}

/** A coin of a chain: all chains with the same coin share its price. */
export interface NativePriceKey {
  /** For example `NATIVE-avax`. */
  internalId: string
  /** The price provider's id, for example `avalanche-2`; without it, only a price file can contain the coin. */
  priceId?: string
}

/** A token, by chain and contract or mint. */
export interface TokenPriceKey {
  caip2Id: string
  address: string
}

export type PriceKey = NativePriceKey | TokenPriceKey

export const isNativeKey = (key: PriceKey): key is NativePriceKey => 'internalId' in key

/** Hex addresses are case-insensitive, base58 ones are not. */
export const addressKey = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address)

/** A unique text per item that has a price. */
export const priceKeyId = (key: PriceKey): string =>
  isNativeKey(key) ? `native/${key.priceId ?? key.internalId}` : `${key.caip2Id}/${addressKey(key.address)}`

/** What is known at one moment about the requested keys, in one currency. */
export interface Quotes {
  /** Undefined = unpriced or currently unavailable; send no price members then, never zero. */
  get(key: PriceKey): Quote | undefined
  /**
   * True when the price could not be read now, so the item may well have one, and when it has a price in another
   * currency only. False when it is priced, or the provider has no price for it. A total should be left out when
   * something in it is unread.
   */
  unread(key: PriceKey): boolean
}

/** Prices behind one interface, whatever the provider. */
export interface PriceBook {
  /**
   * Never rejects because of the provider and never takes longer than the timeout.
   * @param signal ends the wait; what is known by then is the answer
   */
  quote(
    currency: Currency,
    natives: readonly NativePriceKey[],
    tokens: readonly TokenPriceKey[],
    signal?: AbortSignal,
  ): Promise<Quotes>
  status(): PriceBookStatus
  close(): void
}

/** State of the provider. */
export interface PriceBookStatus {
  provider: 'coingecko' | 'file' | 'none'
  /** Prices held in memory. */
  entries: number
  /** When the provider last answered, milliseconds of `Date.now()`. */
  lastSuccess?: number
  /** Message of the current problem. */
  trouble?: string
  /** Until then the provider is not asked, milliseconds of `Date.now()`. */
  pausedUntil?: number
}

/** Prices of one item in several currencies, as a provider reports them. */
export type QuotesByCurrency = Partial<Record<Currency, Quote>>

/** A quote, or undefined when `price` is not a usable price: 0 from a provider means that it has none. */
export const toQuote = (price: unknown, percent: unknown): Quote | undefined => {
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0) return undefined
  if (typeof percent !== 'number' || !Number.isFinite(percent)) return { price }
  const change24h = absoluteChange(price, percent)
  return change24h === undefined ? { price } : { price, change24h, changePercent24h: percent }
}

/** `quote` in another currency; the change over the day is assumed equal, because yesterday's rate is unknown. */
export const convertQuote = (quote: Quote, rate: number): Quote | undefined =>
  toQuote(quote.price * rate, quote.changePercent24h)
