import { UpstreamRateLimitedError } from '../../errors.ts'
import { CURRENCIES, type Currency } from '../../facts/currencies.ts'
import { LONGEST_PAUSE_MS, type PriceRequest, type PriceSource } from './price-source.ts'
import { isNativeKey, type PriceKey, priceKeyId, type Quote, type QuotesByCurrency } from './prices.ts'

/** Where several processes store what one of them has read. */
export interface SharedPriceValues {
  /** One text, or undefined, per key. */
  get(keys: readonly string[]): Promise<(string | undefined)[]>
  set(entries: readonly (readonly [key: string, value: string])[], ttlMs: number): Promise<void>
  /** Remaining life of a key's text, milliseconds; 0 when there is none. */
  left(key: string): Promise<number>
  /** True for the first process that takes the turn, false for the others, undefined when that is unknown. */
  takeTurn(key: string, ttlMs: number): Promise<boolean | undefined>
  giveTurnBack(key: string): Promise<void>
}

export interface SharedPriceOptions {
  /** How long other processes may use what one has read, milliseconds. */
  cacheMs: number
  /** How long a process waits for a read of another one, milliseconds; then it reads by itself. */
  patienceMs?: number
}

/** A turn lasts hardly longer than a read of the provider: a process that dies during it blocks nobody. */
const TURN_MS = 15_000
const LOOK_AGAIN_MS = 100
const PAUSE_KEY = 'prices:paused'
/** The few coins, whose prices every item waits for, are read while another process reads many tokens. */
const turnFor = ([first]: readonly PriceKey[]): string =>
  first === undefined || isNativeKey(first) ? 'prices:reading' : 'prices:reading:tokens'

/**
 * One provider for several processes: what one has read within `cacheMs` is used by all, only one reads coins and one
 * tokens at a time, and all leave the provider alone for as long as it told one of them to.
 */
export function createSharedPriceSource(
  source: PriceSource,
  values: SharedPriceValues,
  { cacheMs, patienceMs = 2_000 }: SharedPriceOptions,
): PriceSource {
  /** Returns what others have read, with its age; resolves to the keys that are still missing. */
  const takeShared = async (request: PriceRequest, keys: readonly PriceKey[]): Promise<PriceKey[]> => {
    const texts = await values.get(keys.map(storedAs))
    const wanted = await Promise.all(
      keys.map(async (key, index) => {
        const quotes = readQuotes(texts[index], request.currencies)
        const left = quotes ? await values.left(storedAs(key)) : 0
        // A process with other settings keeps prices for longer than they are valid here, and their age is unknown.
        if (quotes === undefined || left > cacheMs) return [key]
        request.take(key, quotes, cacheMs - left)
        return []
      }),
    )
    return wanted.flat()
  }
  const readHere = async (request: PriceRequest, keys: readonly PriceKey[]): Promise<void> => {
    const found: [string, string][] = []
    const take = (key: PriceKey, quotes: QuotesByCurrency): void => {
      request.take(key, quotes)
      found.push([storedAs(key), JSON.stringify({ currencies: request.currencies, quotes })])
    }
    try {
      await source.read({ ...request, keys, take })
    } catch (error) {
      if (error instanceof UpstreamRateLimitedError) await sharePause(error.retryAfterMs)
      throw error
    } finally {
      if (found.length > 0) await values.set(found, cacheMs)
    }
  }
  // No longer than each process would wait by itself: with a longer one, all would refuse whenever they ask again.
  const sharePause = async (ms = 60_000): Promise<void> => {
    await values.set([[PAUSE_KEY, '1']], Math.min(Math.max(1_000, ms), LONGEST_PAUSE_MS))
  }
  const refuseInPause = async (): Promise<void> => {
    const left = await values.left(PAUSE_KEY)
    // Earlier versions share any pause they were told, even days, and may still run during an upgrade.
    if (left > 0 && left <= LONGEST_PAUSE_MS)
      throw new UpstreamRateLimitedError('the provider asked another process to wait', left)
  }

  return {
    async read(request) {
      // Not shared with others, whose settings may be newer: they would have no price until they ask again.
      const isNamed = (key: PriceKey): boolean => source.names?.(key) !== false
      for (const key of request.keys) if (!isNamed(key)) request.take(key, {})
      let wanted = await takeShared(request, request.keys.filter(isNamed))
      const turnKey = turnFor(request.keys)
      const end = performance.now() + patienceMs
      while (wanted.length > 0 && !request.signal.aborted) {
        await refuseInPause()
        const askedAt = performance.now()
        const turn = await values.takeTurn(turnKey, TURN_MS)
        // Later the turn is another process's.
        const giveBack = async (): Promise<void> => {
          if (turn === true && performance.now() - askedAt < TURN_MS) await values.giveTurnBack(turnKey)
        }
        // False = another process reads. Its answer may contain everything needed.
        if (turn !== false || performance.now() >= end) {
          await readHere(request, wanted).finally(giveBack)
          return
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
        wanted = await takeShared(request, wanted)
      }
    },
  }
}

const storedAs = (key: PriceKey): string => `prices:${priceKeyId(key)}`

/** What another process wrote, if it requested all these currencies. Anything unexpected counts as nothing. */
function readQuotes(text: string | undefined, wanted: readonly Currency[]): QuotesByCurrency | undefined {
  if (text === undefined) return undefined
  try {
    const { currencies, quotes } = JSON.parse(text) as { currencies: unknown; quotes: Record<string, unknown> }
    if (!Array.isArray(currencies) || !wanted.every((currency) => currencies.includes(currency))) return undefined
    const read: QuotesByCurrency = {}
    for (const currency of CURRENCIES) {
      const quote = quotes[currency]
      if (quote === undefined) continue
      if (!isQuote(quote)) return undefined
      read[currency] = quote
    }
    return read
  } catch {
    return undefined
  }
}

const isQuote = (value: unknown): value is Quote => {
  if (typeof value !== 'object' || value === null) return false
  const { price, change24h = 0, changePercent24h = 0 } = value as Record<string, unknown>
  return typeof price === 'number' && price > 0 && typeof change24h === 'number' && typeof changePercent24h === 'number'
}
