import type { Currency } from '../../facts/currencies.ts'
import { convertQuote, type QuotesByCurrency } from './prices.ts'

/** Currency units per usd. */
export type RatesPerUsd = Partial<Record<Currency, number>>

const isRate = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0

/** Number of items whose rates are compared: the most expensive, because their prices have the most digits. */
const COMPARED = 5

/**
 * Rates implied by prices: an item with prices in usd and in another currency yields the rate. Of the five or three
 * most expensive items, the median rate is used, so that one wrong price affects no other; of fewer, that of the most
 * expensive.
 */
export const impliedRates = (things: Iterable<QuotesByCurrency>, currencies: readonly Currency[]): RatesPerUsd => {
  const dearestFirst = [...things].sort((a, b) => (b.usd?.price ?? 0) - (a.usd?.price ?? 0))
  const rates: RatesPerUsd = {}
  for (const currency of currencies) {
    const told: number[] = []
    for (const { usd, [currency]: quote } of dearestFirst) {
      if (usd && quote) told.push(quote.price / usd.price)
      if (told.length === COMPARED) break
    }
    const rate = middleOf(told)
    if (rate !== undefined) rates[currency] = rate
  }
  return rates
}

const middleOf = (told: readonly number[]): number | undefined => {
  const odd = told.length % 2 === 1 ? told.length : told.length - 1
  return [...told.slice(0, odd)].sort((a, b) => a - b)[odd >> 1]
}

/** Rates of a table whose values are all the price of the same thing (CoinGecko: one bitcoin). */
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

/** Fills missing currencies of an item from its usd price, if a rate is known. */
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
