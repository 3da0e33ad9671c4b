import { watchFile } from '../file-watch.ts'
import { type MarketLog, silentLog } from '../market-log.ts'
import { type FilePrices, parsePriceFile } from './price-file.ts'
import type { PriceBook } from './prices.ts'

const MAX_BYTES = 33_554_432
/** The file is checked once per request, not once for each of its chains, whose items wait for it. */
const LOOK_MS = 200

/** Prices of a file (format: `price-file.ts`); a changed file takes effect soon, a broken one is ignored. */
export const createFilePriceBook = (file: string, log: MarketLog = silentLog): PriceBook => {
  let newest: FilePrices | undefined
  let lastSuccess: number | undefined
  const watched = watchFile(
    file,
    parsePriceFile,
    MAX_BYTES,
    (reason) => log.warn({ file, reason }, 'price file could not be used'),
    LOOK_MS,
  )
  return {
    async quote(currency) {
      const prices = await watched.read()
      if (prices !== newest) lastSuccess = Date.now()
      newest = prices
      return {
        get: (key) => prices?.find(key)?.[currency],
        unread(key) {
          if (prices === undefined) return true
          // It has a price in another currency, and the file has no rate to this one.
          const found = prices.find(key)
          return found !== undefined && found[currency] === undefined
        },
      }
    },
    status: () => {
      const trouble = watched.trouble()
      return {
        provider: 'file',
        entries: newest?.entries ?? 0,
        ...(lastSuccess === undefined ? {} : { lastSuccess }),
        ...(trouble === undefined ? {} : { trouble }),
      }
    },
    close: () => undefined,
  }
}
