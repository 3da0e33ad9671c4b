import { BadAnswerError } from '../../errors.ts'
import type { Currency } from '../../facts/currencies.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import { addressKey, type QuotesByCurrency, toQuote } from '../prices/prices.ts'
import type { ObjectAnswer } from './coingecko-client.ts'

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

/** The provider keeps reporting the last price of what is no longer traded, without a change over the day. */
const LONGEST_UNTRADED_MS = 86_400_000

const isOfLongAgo = (row: unknown, now: number): boolean => {
  const updatedAt = isRecord(row) ? row['last_updated_at'] : undefined
  return typeof updatedAt === 'number' && now - updatedAt * 1_000 > LONGEST_UNTRADED_MS
}

export interface PriceRow {
  row: unknown
  /** Its price is from more than a day before the answer. */
  untraded: boolean
}

/** Rows of an answer. Throws if it only contains other items: an error message must not count as having no price. */
export const rowsOf = ({ ok, at }: ObjectAnswer, asked: readonly string[]): Map<string, PriceRow> => {
  const rows = new Map(
    Object.entries(ok).map(([name, row]) => [addressKey(name), { row, untraded: isOfLongAgo(row, at) }]),
  )
  if (rows.size > 0 && !asked.some((name) => rows.has(name)))
    throw new BadAnswerError('price provider answered something else than prices')
  return rows
}

/** Parameters of every price call; `precision=full` keeps the digits of very small prices. */
export const priceQuery = (currencies: readonly Currency[]): string =>
  `vs_currencies=${currencies.join(',')}&include_24hr_change=true&include_last_updated_at=true&precision=full`
