import { type CoingeckoOptions, createCoingeckoSource } from './coingecko.ts'
import { createFilePriceBook } from './file-price-book.ts'
import { createLivePriceBook, type LivePriceOptions } from './live-price-book.ts'
import type { MarketLog } from './market-log.ts'
import type { PriceBook } from './prices.ts'

/** Where prices come from; `coingecko` needs a pool whose base URL is `url`. */
export type PriceBookOptions =
  | { provider: 'none' }
  | { provider: 'file'; file: string; log?: MarketLog }
  | ({ provider: 'coingecko' } & CoingeckoOptions & LivePriceOptions)

const createNoPriceBook = (): PriceBook => ({
  quote: async () => ({ get: () => undefined, unread: () => false }),
  status: () => ({ provider: 'none', entries: 0 }),
  close: () => undefined,
})

/** The price book of the configured provider. Asks nobody before the first `quote`. */
export const createPriceBook = (options: PriceBookOptions): PriceBook => {
  switch (options.provider) {
    case 'none':
      return createNoPriceBook()
    case 'file':
      return createFilePriceBook(options.file, options.log)
    case 'coingecko':
      return createLivePriceBook(createCoingeckoSource(options), options)
  }
}
