import { Gauge, type Registry } from 'prom-client'

/** State of the price provider; times in milliseconds of `Date.now()`. Left out = never, and no failure. */
export interface PricesView {
  provider: string
  entries: number
  lastSuccess?: number
  trouble?: string
}

/** State of one token list; times as above. A file has no age, since it is checked again and again. */
export interface TokenListView {
  /** Host or file; several lists of one host are combined. */
  source: string
  tokens: number
  updatedAt?: number
  trouble?: string
}

/** The combined state of all lists of a source: the sum of tokens, the worst age and failure. */
interface SourceView {
  tokens: number
  oldest: number | undefined
  failing: boolean
}

function bySource(lists: readonly TokenListView[]): Map<string, SourceView> {
  const sources = new Map<string, SourceView>()
  for (const { source, tokens, updatedAt, trouble } of lists) {
    const known = sources.get(source) ?? { tokens: 0, oldest: undefined, failing: false }
    sources.set(source, {
      tokens: known.tokens + tokens,
      oldest: updatedAt === undefined ? known.oldest : Math.min(updatedAt, known.oldest ?? updatedAt),
      failing: known.failing || trouble !== undefined,
    })
  }
  return sources
}

/**
 * State of prices (with their currency rates) and token lists. Read when Prometheus scrapes. Prices are read on demand,
 * so their age means nothing while there are no requests.
 */
export function createMarketInstruments(
  registry: Registry,
  market: { prices(): PricesView; tokenLists(): readonly TokenListView[] },
  now: () => number = Date.now,
): void {
  const ageSeconds = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : Math.max(0, now() - at) / 1000
  const gaugeOfPrices = (name: string, help: string, read: (prices: PricesView) => number | undefined): void => {
    new Gauge({
      name: `firn_prices_${name}`,
      help,
      registers: [registry],
      collect() {
        this.remove()
        const prices = market.prices()
        const value = prices.provider === 'none' ? undefined : read(prices)
        if (value !== undefined) this.set(value)
      },
    })
  }
  const gaugeOfLists = (name: string, help: string, read: (source: SourceView) => number | undefined): void => {
    new Gauge({
      name: `firn_token_list_${name}`,
      help,
      labelNames: ['source'] as const,
      registers: [registry],
      collect() {
        this.reset()
        for (const [source, view] of bySource(market.tokenLists())) {
          const value = read(view)
          if (value !== undefined) this.set({ source }, value)
        }
      },
    })
  }
  gaugeOfPrices('held', 'Prices held in memory; for a file, its entries.', ({ entries }) => entries)
  gaugeOfPrices('age_seconds', 'Seconds since the provider last gave an answer.', (view) =>
    ageSeconds(view.lastSuccess),
  )
  gaugeOfPrices(
    'failing',
    '1 = the latest attempt to read prices of coins, or that of tokens, failed.',
    ({ trouble }) => Number(trouble !== undefined),
  )
  gaugeOfLists('tokens', 'Tokens taken from the lists of a source.', ({ tokens }) => tokens)
  gaugeOfLists('age_seconds', 'Seconds since a list was fetched or found unchanged.', ({ oldest }) =>
    ageSeconds(oldest),
  )
  gaugeOfLists('failing', '1 = the latest attempt to read a list failed; its last content stays in force.', (view) =>
    Number(view.failing),
  )
}
