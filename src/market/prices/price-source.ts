import type { Currency } from '../../facts/currencies.ts'
import type { PriceKey, QuotesByCurrency } from './prices.ts'

/** What one read requests from a provider. */
export interface PriceRequest {
  /** All natives or all tokens. */
  keys: readonly PriceKey[]
  currencies: readonly Currency[]
  /**
   * Called with every key that the provider has answered, as soon as possible; currencies left out have no price.
   * @param ageMs since it was answered, to any process; default 0
   */
  take(key: PriceKey, quotes: QuotesByCurrency, ageMs?: number): void
  signal: AbortSignal
}

/** A provider on the network. */
export interface PriceSource {
  /**
   * False for an item without a name in its settings: it has no price here, which says nothing about the item itself.
   * Left out = it has a name for everything.
   */
  names?(key: PriceKey): boolean
  /** Rejects when the rest could not be read (UpstreamRateLimitedError carries the wait). */
  read(request: PriceRequest): Promise<void>
}

/** Longest pause accepted from a provider, milliseconds: it, or something in front of it, may be wrong. */
export const LONGEST_PAUSE_MS = 900_000
