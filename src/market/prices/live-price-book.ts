import type { Currency } from '../../facts/currencies.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import { type MarketLog, silentLog } from '../market-log.ts'
import { createPriceCache } from './price-cache.ts'
import { createPriceReader } from './price-reader.ts'
import type { PriceSource } from './price-source.ts'
import {
  type NativePriceKey,
  type PriceBook,
  type PriceBookStatus,
  type PriceKey,
  priceKeyId,
  type Quote,
  type Quotes,
} from './prices.ts'

/** Times in milliseconds. */
export interface LivePriceOptions {
  /** Prices are refreshed after this. */
  cacheMs: number
  /** Prices older than this are left out. */
  maxStaleMs: number
  /** Longest wait of `quote`. */
  timeoutMs: number
  /** Coins of the catalogue: when one native price is due, all of these are refreshed by the same call. */
  natives?: readonly NativePriceKey[]
  /** Timeout of one read of the provider; default 15,000. It continues after a `quote` has stopped waiting. */
  readTimeoutMs?: number
  /** Items without a price are requested again after this; default 10 minutes, at least `cacheMs`. */
  unknownMs?: number
  log?: MarketLog
  now?: () => number
}

/** Number of items whose prices are kept in memory. */
const KEPT_ITEMS = 20_000

/** A currency that was not requested for this long is no longer fetched. */
const CURRENCY_IDLE_MS = 3_600_000

/** Tracks recently requested currencies; always includes usd, because it is the base of conversions. */
const createActiveCurrencies = (now: () => number) => {
  const seen = new Map<Currency, number>()
  return {
    touch: (currency: Currency): void => void seen.set(currency, now()),
    list: (): Currency[] => {
      for (const [currency, at] of seen) if (now() - at > CURRENCY_IDLE_MS) seen.delete(currency)
      return [...new Set<Currency>(['usd', ...seen.keys()])]
    },
  }
}

/**
 * Prices of a provider on the network: cached per (item, currency), refreshed on demand and never by a timer, shared
 * between callers. A price up to twice `cacheMs` old is returned at once while the new one is fetched; older ones are
 * waited for within the limits, then returned until `maxStaleMs`.
 */
export const createLivePriceBook = (source: PriceSource, options: LivePriceOptions): PriceBook => {
  const now = options.now ?? steadyNow
  const unknownMs = Math.max(options.unknownMs ?? 600_000, options.cacheMs)
  const cache = createPriceCache({ ...options, unknownMs }, KEPT_ITEMS)
  const active = createActiveCurrencies(now)
  const reader = createPriceReader({
    source,
    cache,
    log: options.log ?? silentLog,
    now,
    wall: options.now ?? (() => Date.now()),
    readTimeoutMs: options.readTimeoutMs ?? 15_000,
    currencies: active.list,
  })
  const catalogue = options.natives ?? []

  /** Requests everything due and returns what is worth waiting for. */
  const refresh = (currency: Currency, natives: readonly PriceKey[], tokens: readonly PriceKey[]): Promise<void>[] => {
    const waits: Promise<void>[] = []
    const at = now()
    const ask = (key: PriceKey): boolean => {
      const state = cache.state(priceKeyId(key), currency, at)
      if (!state.due) return false
      const done = reader.want(key, currency)
      if (done !== undefined && state.awaited) waits.push(done)
      return true
    }
    let nativeDue = false
    for (const key of natives) nativeDue = ask(key) || nativeDue
    // Another coin in the same call costs nothing, and all coins then have prices of the same moment.
    if (nativeDue) for (const key of catalogue) reader.want(key, currency)
    for (const key of tokens) ask(key)
    return waits
  }

  const snapshot = (currency: Currency, keys: Iterable<PriceKey>): Quotes => {
    const quotes = new Map<string, Quote>()
    const unread = new Set<string>()
    const at = now()
    for (const key of keys) {
      const id = priceKeyId(key)
      const state = cache.state(id, currency, at)
      if (state.quote !== undefined) quotes.set(id, state.quote)
      if (state.unread) unread.add(id)
    }
    return { get: (key) => quotes.get(priceKeyId(key)), unread: (key) => unread.has(priceKeyId(key)) }
  }

  return {
    async quote(currency, natives, tokens, signal): Promise<Quotes> {
      active.touch(currency)
      const waits = refresh(currency, natives, tokens)
      if (waits.length > 0 && options.timeoutMs > 0)
        await inTime(Promise.all(waits), options.timeoutMs, () => undefined, signal)
      return snapshot(currency, [...natives, ...tokens])
    },
    status: (): PriceBookStatus => ({ provider: 'coingecko', entries: cache.size(), ...reader.status() }),
    close: () => {
      reader.close()
      cache.clear()
    },
  }
}
