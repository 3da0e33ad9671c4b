import { BadAnswerError } from '../../errors.ts'
import type { Currency } from '../../lib/currencies.ts'
import { addressKey, type QuotesByCurrency, toQuote } from '../prices/prices.ts'

/** Quotes of one row: `{usd: 1, usd_24h_change: 0.5, …}`. */
export const quotesOf = (row: unknown, currencies: readonly Currency[]): QuotesByCurrency => {
  const quotes: QuotesByCurrency = {}
  if (typeof row !== 'object' || row === null) return quotes
  const members = row as Record<string, unknown>
  for (const currency of currencies) {
    const quote = toQuote(members[currency], members[`${currency}_24h_change`])
    if (quote !== undefined) quotes[currency] = quote
  }
  return quotes
}

/** Rows of an answer. Throws for one that speaks of other things alone: to be told of a mistake is not to have no price. */
export const rowsOf = (answer: Record<string, unknown>, asked: readonly string[]): Map<string, unknown> => {
  const rows = new Map(Object.entries(answer).map(([name, row]) => [addressKey(name), row]))
  if (rows.size > 0 && !asked.some((name) => rows.has(name)))
    throw new BadAnswerError('price provider answered something else than prices')
  return rows
}

/** What every price call asks for; `precision=full` keeps the digits of very small prices. */
export const priceQuery = (currencies: readonly Currency[]): string =>
  `vs_currencies=${currencies.join(',')}&include_24hr_change=true&precision=full`
