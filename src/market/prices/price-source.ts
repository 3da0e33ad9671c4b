import type { Currency } from '../../lib/currencies.ts'
import type { PriceKey, QuotesByCurrency } from './prices.ts'

/** What is wanted of a provider in one read. */
export interface PriceRequest {
  /** All natives or all tokens. */
  keys: readonly PriceKey[]
  currencies: readonly Currency[]
  /**
   * Gets every key that the provider has answered, as soon as it has; currencies left out have no price.
   * @param ageMs since it was answered, to whomever; default 0
   */
  take(key: PriceKey, quotes: QuotesByCurrency, ageMs?: number): void
  signal: AbortSignal
}

/** A provider that is asked over a network. */
export interface PriceSource {
  /**
   * False for what it has no name for, by its settings: such a thing has no price here, and nothing is known of it by
   * that. Left out = it has one for everything.
   */
  names?(key: PriceKey): boolean
  /** Rejects when the rest could not be read (UpstreamRateLimitedError carries the wait). */
  read(request: PriceRequest): Promise<void>
}

/** No wait that a provider names counts beyond this, milliseconds: it, or what stands before it, may be wrong. */
export const LONGEST_PAUSE_MS = 900_000
