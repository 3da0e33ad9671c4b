import type { PriceBook, TokenLists } from '../market/index.ts'
import { APPLICATION_TAG, type HealthCheck, type HealthMessage } from '../services/node-health/index.ts'

/**
 * State of prices and token lists. Always healthy: balances are served without prices, and a list that cannot be read
 * stays in force unchanged. Times are RFC 3339.
 */
export const createMarketCheck = (market: {
  prices: Pick<PriceBook, 'status'>
  lists: Pick<TokenLists, 'status'>
}): HealthCheck => ({
  name: 'market',
  tags: () => [APPLICATION_TAG],
  run: () => ({ prices: pricesMessage(market.prices), tokenLists: listsMessage(market.lists) }),
})

/** Without prices and lists there is nothing to report, and the checks are those of a node. */
export const tellsPrices = ({ prices, lists }: Parameters<typeof createMarketCheck>[0]): boolean =>
  prices.status().provider !== 'none' || lists.status().length > 0

function pricesMessage(prices: Pick<PriceBook, 'status'>): HealthMessage {
  const { provider, entries, lastSuccess, pausedUntil, trouble } = prices.status()
  if (provider === 'none') return { provider }
  return {
    provider,
    entries,
    ...(lastSuccess === undefined ? {} : { lastSuccess: timeOf(lastSuccess) }),
    ...(pausedUntil === undefined ? {} : { pausedUntil: timeOf(pausedUntil) }),
    ...(trouble === undefined ? {} : { trouble }),
  }
}

/** Healthy lists are only counted: there may be hundreds. */
function listsMessage(lists: Pick<TokenLists, 'status'>): HealthMessage {
  const all = lists.status()
  const fetched = all.flatMap(({ updatedAt }) => updatedAt ?? [])
  const troubles = all.flatMap(({ source, trouble }) => (trouble === undefined ? [] : [`${source}: ${trouble}`]))
  return {
    lists: all.length,
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(fetched.length === 0 ? {} : { oldest: timeOf(Math.min(...fetched)) }),
    ...(troubles.length === 0 ? {} : { troubles }),
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString()
