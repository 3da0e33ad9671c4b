import { CURRENCIES, type Currency } from '../../facts/currencies.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { impliedRates, type RatesPerUsd, ratesOfTable } from '../prices/exchange-rates.ts'
import type { QuotesByCurrency } from '../prices/prices.ts'
import type { CoingeckoClient } from './coingecko-client.ts'

const RATES_MS = 3_600_000
const RETRY_MS = 600_000
/** Rates older than this are none, as prices are. */
const OLDEST_MS = 86_400_000

/** Rates for currencies that an answer lacks: from other prices of the answer, else from the provider's rate table. */
export const createCoingeckoRates = (client: CoingeckoClient) => {
  let table: { rates: RatesPerUsd; readAt: number } | undefined
  let askAgainAt = Number.NEGATIVE_INFINITY
  const kept = (): RatesPerUsd => (table && steadyNow() - table.readAt <= OLDEST_MS ? table.rates : {})
  const readTable = async (signal: AbortSignal): Promise<RatesPerUsd> => {
    if (steadyNow() < askAgainAt) return kept()
    const answer = await client.get('/exchange_rates', signal).catch(() => undefined)
    const rows = answer !== undefined && 'ok' in answer ? answer.ok['rates'] : undefined
    const values = Object.entries(isRecord(rows) ? rows : {}).map(
      ([name, row]) => [name, isRecord(row) ? row['value'] : undefined] as const,
    )
    const rates = ratesOfTable(Object.fromEntries(values), CURRENCIES)
    // Without a rate of the dollar nothing can be converted: such a table must not replace a good one.
    if (rates.usd === undefined) {
      askAgainAt = steadyNow() + RETRY_MS
      return kept()
    }
    table = { rates, readAt: steadyNow() }
    askAgainAt = steadyNow() + RATES_MS
    return rates
  }
  return async (things: QuotesByCurrency[], currencies: readonly Currency[], signal: AbortSignal) => {
    const rates = impliedRates(things, currencies)
    const priced = things.some((thing) => thing.usd !== undefined)
    const lacking = currencies.filter((currency) => rates[currency] === undefined)
    if (!priced || lacking.length === 0) return rates
    return { ...(await readTable(signal)), ...rates }
  }
}
