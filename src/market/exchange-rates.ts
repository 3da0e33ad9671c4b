import type { Currency } from '../lib/currencies.ts'
import { convertQuote, type QuotesByCurrency } from './prices.ts'

/** Currency units for one usd. */
export type RatesPerUsd = Partial<Record<Currency, number>>

const isRate = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0

/**
 * Rates hidden in prices: a thing priced in usd and in another currency tells the rate. The dearest thing is taken, for
 * its price has the most digits.
 */
export const impliedRates = (things: Iterable<QuotesByCurrency>, currencies: readonly Currency[]): RatesPerUsd => {
  const rates: RatesPerUsd = {}
  const best: RatesPerUsd = {}
  for (const thing of things) {
    const usd = thing.usd?.price
    if (usd === undefined) continue
    for (const currency of currencies) {
      const price = thing[currency]?.price
      if (price === undefined || usd <= (best[currency] ?? 0)) continue
      best[currency] = usd
      rates[currency] = price / usd
    }
  }
  return rates
}

/** Rates of a table in which every value is the price of one and the same thing (CoinGecko: one bitcoin). */
export const ratesOfTable = (table: Record<string, unknown>, currencies: readonly Currency[]): RatesPerUsd => {
  const usd = table['usd']
  const rates: RatesPerUsd = {}
  if (!isRate(usd)) return rates
  for (const currency of currencies) {
    const value = table[currency]
    if (isRate(value)) rates[currency] = value / usd
  }
  return rates
}

/** Fills the currencies that a thing lacks from its usd price, where a rate is known. */
export const fillCurrencies = (
  quotes: QuotesByCurrency,
  currencies: readonly Currency[],
  rates: RatesPerUsd,
): QuotesByCurrency => {
  const { usd } = quotes
  if (usd === undefined) return quotes
  const filled: QuotesByCurrency = { ...quotes }
  for (const currency of currencies) {
    const rate = rates[currency]
    if (filled[currency] !== undefined || !isRate(rate)) continue
    const quote = convertQuote(usd, rate)
    if (quote !== undefined) filled[currency] = quote
  }
  return filled
}
