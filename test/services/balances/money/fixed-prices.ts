import type { PriceBook } from '../../../../src/market/index.ts'

/** AVAX in each currency that is asked for. */
export const PRICES = { usd: 13.5, eur: 12.25 } as const

/** A market that stands still. */
export const fixedPrices: PriceBook = {
  quote: async (currency) => ({
    get: (key) =>
      'priceId' in key && key.priceId === 'avalanche-2'
        ? { price: PRICES[currency as keyof typeof PRICES] }
        : undefined,
    unread: () => false,
  }),
  status: () => ({ provider: 'none', entries: 0 }),
  close: () => undefined,
}
