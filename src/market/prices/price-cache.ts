import { LRUCache } from 'lru-cache'
import type { Currency } from '../../facts/currencies.ts'
import { roomFor } from '../../lib/room-for.ts'
import { type PriceKey, priceKeyId, type Quote, type QuotesByCurrency } from './prices.ts'

/** Ages in milliseconds. */
interface PriceAges {
  /** A price is requested again after this. */
  cacheMs: number
  /** An older price is not shown. */
  maxStaleMs: number
  /** An item without a price at the provider is requested again after this. */
  unknownMs: number
}

interface Slot {
  quote: Quote | undefined
  /** When the provider last returned the price, and when it was last asked. */
  pricedAt: number
  checkedAt: number
  /** It has a price in another currency, and no rate to this one was known. */
  unconverted: boolean
}

/** due: request again; awaited: too old or absent, worth waiting for; unread: may have a price not known now. */
interface PriceState {
  quote: Quote | undefined
  due: boolean
  awaited: boolean
  unread: boolean
}

const sameQuote = (a: Quote, b: Quote): boolean =>
  a.price === b.price && a.changePercent24h === b.changePercent24h && a.change24h === b.change24h

const isPriced = (slots: Map<Currency, Slot>): boolean => {
  for (const { quote } of slots.values()) if (quote !== undefined) return true
  return false
}

/**
 * Prices by (item, currency), bounded; the least recently used item is evicted first. Items without any price have
 * separate room of the same size: anyone can create tens of thousands of tokens, and re-requesting evicted prices
 * because of them would exceed a provider's plan.
 */
export const createPriceCache = (ages: PriceAges, maxEntries: number) => {
  const priced = new LRUCache<string, Map<Currency, Slot>>(roomFor(maxEntries))
  const unpriced = new LRUCache<string, Map<Currency, Slot>>(roomFor(maxEntries))

  const store = (slots: Map<Currency, Slot>, currency: Currency, quotes: QuotesByCurrency, now: number): void => {
    const old = slots.get(currency)
    const quote = quotes[currency]
    if (quote === undefined) {
      // One answer without a price does not make a price of a minute ago wrong: it is kept until it is too old. After
      // that the item has no price, as the provider says, rather than one that could not be read.
      const kept = old && now - old.pricedAt <= ages.maxStaleMs ? old : { quote: undefined, pricedAt: 0 }
      const unconverted = Object.keys(quotes).length > 0
      slots.set(currency, { quote: kept.quote, pricedAt: kept.pricedAt, checkedAt: now, unconverted })
      return
    }
    // The same object while nothing changed, so that readers can compare by identity.
    const kept = old?.quote !== undefined && sameQuote(old.quote, quote) ? old.quote : quote
    slots.set(currency, { quote: kept, pricedAt: now, checkedAt: now, unconverted: false })
  }

  return {
    /** Stores one answer of the provider; currencies without a quote are remembered as unpriced. */
    take(key: PriceKey, currencies: Iterable<Currency>, quotes: QuotesByCurrency, now: number): void {
      const id = priceKeyId(key)
      const slots = priced.get(id) ?? unpriced.get(id) ?? new Map<Currency, Slot>()
      for (const currency of currencies) store(slots, currency, quotes, now)
      const [place, other] = isPriced(slots) ? [priced, unpriced] : [unpriced, priced]
      other.delete(id)
      place.set(id, slots)
    },
    state(id: string, currency: Currency, now: number): PriceState {
      const slot = (priced.get(id) ?? unpriced.get(id))?.get(currency)
      if (slot === undefined) return { quote: undefined, due: true, awaited: true, unread: true }
      const age = now - slot.checkedAt
      const patience = slot.quote === undefined ? ages.unknownMs : ages.cacheMs
      const usable = slot.quote !== undefined && now - slot.pricedAt <= ages.maxStaleMs
      // Up to twice the refresh age, the known price is returned at once while a new one is fetched.
      const old = age >= 2 * patience
      const expired = slot.quote !== undefined && !usable
      return {
        quote: usable ? slot.quote : undefined,
        due: age >= patience,
        awaited: old || (expired && age >= patience),
        unread: expired || (slot.quote === undefined && (old || slot.unconverted)),
      }
    },
    size: (): number => priced.size + unpriced.size,
    clear: (): void => {
      priced.clear()
      unpriced.clear()
    },
  }
}

export type PriceCache = ReturnType<typeof createPriceCache>
