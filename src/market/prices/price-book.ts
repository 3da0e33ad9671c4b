import { type CoingeckoOptions, createCoingeckoSource } from '../coingecko/coingecko.ts'
import type { MarketLog } from '../market-log.ts'
import { createFilePriceBook } from './file-price-book.ts'
import { createLivePriceBook, type LivePriceOptions } from './live-price-book.ts'
import type { PriceSource } from './price-source.ts'
import type { PriceBook } from './prices.ts'
import { createSharedPriceSource, type SharedPriceValues } from './shared-price-source.ts'

/** Where prices come from; `coingecko` needs a pool whose base URL is `url`. */
export type PriceBookOptions =
  | { provider: 'none' }
  | { provider: 'file'; file: string; log?: MarketLog }
  | ({
      provider: 'coingecko'
      /** Several processes share what they read and the pauses that the provider asks for. */
      shared?: SharedPriceValues
    } & CoingeckoOptions &
      LivePriceOptions)

const createNoPriceBook = (): PriceBook => ({
  quote: async () => ({ get: () => undefined, unread: () => false }),
  status: () => ({ provider: 'none', entries: 0 }),
  close: () => undefined,
})

/** The price book of the configured provider. Nothing is requested before the first `quote`. */
export const createPriceBook = (options: PriceBookOptions): PriceBook => {
  switch (options.provider) {
    case 'none':
      return createNoPriceBook()
    case 'file':
      return createFilePriceBook(options.file, options.log)
    case 'coingecko':
      return createLivePriceBook(shareSource(createCoingeckoSource(options), options), options)
  }
}

const shareSource = (source: PriceSource, options: { shared?: SharedPriceValues; cacheMs: number }): PriceSource =>
  options.shared ? createSharedPriceSource(source, options.shared, options) : source
