import { UpstreamRateLimitedError } from '../../errors.ts'
import { CURRENCIES, type Currency } from '../../lib/currencies.ts'
import { LONGEST_PAUSE_MS, type PriceRequest, type PriceSource } from './price-source.ts'
import { isNativeKey, type PriceKey, priceKeyId, type Quote, type QuotesByCurrency } from './prices.ts'

/** Where several processes keep what one of them has read. */
export interface SharedPriceValues {
  /** One text, or undefined, per key. */
  get(keys: readonly string[]): Promise<(string | undefined)[]>
  set(entries: readonly (readonly [key: string, value: string])[], ttlMs: number): Promise<void>
  /** How long the text of a key still lives, milliseconds; 0 when there is none. */
  left(key: string): Promise<number>
  /** True for the first who takes the turn, false for the others, undefined when nobody can tell. */
  takeTurn(key: string, ttlMs: number): Promise<boolean | undefined>
  giveTurnBack(key: string): Promise<void>
}

export interface SharedPriceOptions {
  /** What one process has read is good for the others this long, milliseconds. */
  cacheMs: number
  /** How long a process waits for what another one is reading, milliseconds; then it reads for itself. */
  patienceMs?: number
}

/** A turn outlives no read of the provider by much: a process that died in it holds up nobody. */
const TURN_MS = 15_000
const LOOK_AGAIN_MS = 100
const PAUSE_KEY = 'prices:paused'
/** The few coins, whose prices every item waits for, are read while others read many tokens. */
const turnFor = ([first]: readonly PriceKey[]): string =>
  first === undefined || isNativeKey(first) ? 'prices:reading' : 'prices:reading:tokens'

/**
 * One provider for several processes: what one has read within `cacheMs` is taken by all, one reads coins and one tokens
 * at a time, and all leave the provider alone for as long as it told one of them to.
 */
export function createSharedPriceSource(
  source: PriceSource,
  values: SharedPriceValues,
  { cacheMs, patienceMs = 2_000 }: SharedPriceOptions,
): PriceSource {
  /** Hands over what others have read, as old as it is; answers what is still wanted. */
  const takeShared = async (request: PriceRequest, keys: readonly PriceKey[]): Promise<PriceKey[]> => {
    const texts = await values.get(keys.map(storedAs))
    const wanted = await Promise.all(
      keys.map(async (key, index) => {
        const quotes = readQuotes(texts[index], request.currencies)
        const left = quotes ? await values.left(storedAs(key)) : 0
        // A process with another setting keeps them for longer than they are good for here, and how old they are is not known.
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
  // As long as each process would wait by itself: behind a longer one all of them would refuse, whenever they ask again.
  const sharePause = async (ms = 60_000): Promise<void> => {
    await values.set([[PAUSE_KEY, '1']], Math.min(Math.max(1_000, ms), LONGEST_PAUSE_MS))
  }
  const refuseInPause = async (): Promise<void> => {
    const left = await values.left(PAUSE_KEY)
    // Earlier versions hand on whatever they were told, days too, and may be among the others during an upgrade.
    if (left > 0 && left <= LONGEST_PAUSE_MS)
      throw new UpstreamRateLimitedError('the provider asked another process to wait', left)
  }

  return {
    async read(request) {
      // Nothing for the others, whose settings may be newer: they would have no price for as long as it takes to ask again.
      const isNamed = (key: PriceKey): boolean => source.names?.(key) !== false
      for (const key of request.keys) if (!isNamed(key)) request.take(key, {})
      let wanted = await takeShared(request, request.keys.filter(isNamed))
      const turnKey = turnFor(request.keys)
      const end = Date.now() + patienceMs
      while (wanted.length > 0 && !request.signal.aborted) {
        await refuseInPause()
        const askedAt = performance.now()
        const turn = await values.takeTurn(turnKey, TURN_MS)
        // Later it is another one's.
        const giveBack = async (): Promise<void> => {
          if (turn === true && performance.now() - askedAt < TURN_MS) await values.giveTurnBack(turnKey)
        }
        // False = another process reads. Its answer may be all we want.
        if (turn !== false || Date.now() >= end) {
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

/** What another process wrote, when it asked for all these currencies. Anything odd is as good as nothing. */
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
