import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { UpstreamRateLimitedError } from '../../../src/errors.ts'
import { createCoingeckoSource } from '../../../src/market/coingecko/coingecko.ts'
import { createLivePriceBook } from '../../../src/market/prices/live-price-book.ts'
import type { PriceRequest, PriceSource } from '../../../src/market/prices/price-source.ts'
import type { PriceKey, QuotesByCurrency } from '../../../src/market/prices/prices.ts'
import { createSharedPriceSource, type SharedPriceValues } from '../../../src/market/prices/shared-price-source.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const AVAX: PriceKey = { internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
const BTC: PriceKey = { internalId: 'NATIVE-btc', priceId: 'bitcoin' }
const TOKEN: PriceKey = { caip2Id: 'eip155:99373', address: `0x${'1'.repeat(40)}` }

/** What a reachable server keeps; `away` answers as one that is not. */
function sharedMemory() {
  const kept = new Map<string, string>()
  const ends = new Map<string, number>()
  const values: SharedPriceValues = {
    get: async (keys) =>
      keys.map((key) => ((ends.get(key) ?? Number.POSITIVE_INFINITY) > performance.now() ? kept.get(key) : undefined)),
    left: async (key) => Math.max(0, (ends.get(key) ?? 0) - performance.now()),
    set: async (entries, ttlMs) => {
      for (const [key, value] of entries) {
        kept.set(key, value)
        ends.set(key, performance.now() + ttlMs)
      }
    },
    takeTurn: async (key) => !kept.has(key) && Boolean(kept.set(key, '1')),
    giveTurnBack: async (key) => void kept.delete(key),
  }
  return { kept, values }
}

const away: SharedPriceValues = {
  get: async (keys) => keys.map(() => undefined),
  left: async () => 0,
  set: async () => undefined,
  takeTurn: async () => undefined,
  giveTurnBack: async () => undefined,
}

function provider(answer: (request: PriceRequest) => Promise<void>) {
  const reads: string[][] = []
  const source: PriceSource = {
    read: async (request) => {
      reads.push(request.keys.map((key) => JSON.stringify(key)))
      await answer(request)
    },
  }
  return { source, reads }
}

const priced =
  (price: number) =>
  async ({ keys, currencies, take }: PriceRequest): Promise<void> => {
    for (const key of keys) take(key, Object.fromEntries(currencies.map((currency) => [currency, { price }])))
  }

async function read(source: PriceSource, keys: PriceKey[], currencies: PriceRequest['currencies'] = ['usd']) {
  const taken = new Map<PriceKey, QuotesByCurrency>()
  await source.read({
    keys,
    currencies,
    take: (key, quotes) => void taken.set(key, quotes),
    signal: new AbortController().signal,
  })
  return taken
}

describe('a provider shared by processes', () => {
  it('is asked once for what several want', async () => {
    const { values } = sharedMemory()
    const first = provider(priced(20))
    const second = provider(priced(99))
    await read(createSharedPriceSource(first.source, values, { cacheMs: 60_000 }), [AVAX])
    const other = createSharedPriceSource(second.source, values, { cacheMs: 60_000 })
    expect((await read(other, [AVAX, BTC])).get(AVAX)).toEqual({ usd: { price: 20 } })
    expect(second.reads).toEqual([[JSON.stringify(BTC)]])
  })

  it('takes nothing from one that keeps prices for longer than they are good for here', async () => {
    const { values } = sharedMemory()
    const longer = createSharedPriceSource(provider(priced(20)).source, values, { cacheMs: 600_000 })
    await read(longer, [AVAX])
    const shorter = createSharedPriceSource(provider(priced(21)).source, values, { cacheMs: 60_000 })
    expect((await read(shorter, [AVAX])).get(AVAX)).toEqual({ usd: { price: 21 } })
    expect((await read(longer, [AVAX])).get(AVAX)).toEqual({ usd: { price: 21 } })
  })

  it('keeps the age of what others have read, however late one takes it from them', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['performance'] })
    const { values } = sharedMemory()
    await read(createSharedPriceSource(provider(priced(20)).source, values, { cacheMs: 60_000 }), [AVAX])
    vi.advanceTimersByTime(50_000)
    const { source, reads } = provider(priced(30))
    const ages = { cacheMs: 60_000, maxStaleMs: 100_000, timeoutMs: 5_000, now: () => performance.now() }
    const book = createLivePriceBook(createSharedPriceSource(source, values, ages), ages)
    onTestFinished(() => book.close())
    const price = async () => (await book.quote('usd', [AVAX], [])).get(AVAX)?.price
    expect([await price(), reads.length]).toEqual([20, 0])
    vi.advanceTimersByTime(51_000)
    source.read = () => Promise.reject(new Error('away'))
    expect(await price()).toBeUndefined()
  })

  it('remembers for all what has no price', async () => {
    const { values } = sharedMemory()
    const unknown = provider(async ({ keys, take }) => {
      for (const key of keys) take(key, {})
    })
    await read(createSharedPriceSource(unknown.source, values, { cacheMs: 60_000 }), [AVAX])
    const { source, reads } = provider(priced(1))
    expect((await read(createSharedPriceSource(source, values, { cacheMs: 60_000 }), [AVAX])).get(AVAX)).toEqual({})
    expect(reads).toEqual([])
  })

  it('is asked for what another process has no name for: its settings may be those of before', async () => {
    const { values } = sharedMemory()
    const pool = { exchange: () => Promise.reject(new Error('nothing is to be asked')) }
    const before = createCoingeckoSource({ pool, url: 'http://127.0.0.1', platforms: {} })
    const first = createSharedPriceSource(before, values, { cacheMs: 60_000 })
    expect((await read(first, [TOKEN])).get(TOKEN)).toEqual({})
    const second = createSharedPriceSource(provider(priced(2)).source, values, { cacheMs: 60_000 })
    expect((await read(second, [TOKEN])).get(TOKEN)).toEqual({ usd: { price: 2 } })
  })

  it('is asked again for currencies that the other process did not want', async () => {
    const { values } = sharedMemory()
    await read(createSharedPriceSource(provider(priced(20)).source, values, { cacheMs: 60_000 }), [AVAX], ['usd'])
    const { source } = provider(priced(18))
    const quotes = await read(createSharedPriceSource(source, values, { cacheMs: 60_000 }), [AVAX], ['usd', 'eur'])
    expect(quotes.get(AVAX)).toEqual({ usd: { price: 18 }, eur: { price: 18 } })
  })

  it('is read by one at a time: the other waits for its answer', async () => {
    const { values } = sharedMemory()
    let answer = (): void => undefined
    const slow = provider(async (request) => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      await priced(5)(request)
    })
    const first = read(createSharedPriceSource(slow.source, values, { cacheMs: 60_000 }), [AVAX])
    const { source, reads } = provider(priced(6))
    const second = read(createSharedPriceSource(source, values, { cacheMs: 60_000, patienceMs: 60_000 }), [AVAX])
    await new Promise((resolve) => setTimeout(resolve, 150))
    answer()
    await first
    expect((await second).get(AVAX)).toEqual({ usd: { price: 5 } })
    expect(reads).toEqual([])
  })

  it('is asked for coins also while tokens are read, which may take long', async () => {
    const { kept, values } = sharedMemory()
    let end = (): void => undefined
    const tokens = provider(
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    const reading = read(createSharedPriceSource(tokens.source, values, { cacheMs: 60_000 }), [TOKEN])
    await eventually(() => expect(tokens.reads).toHaveLength(1))
    const { source, reads } = provider(priced(20))
    const coins = read(createSharedPriceSource(source, values, { cacheMs: 60_000, patienceMs: 60_000 }), [AVAX])
    await eventually(() => expect(reads).toHaveLength(1))
    end()
    await Promise.all([reading, coins])
    expect([...kept.keys()].filter((key) => key.startsWith('prices:reading'))).toEqual([])
  })

  it('is left to the process that took the turn from one whose read outlasted it', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['performance'] })
    const { kept, values } = sharedMemory()
    const slow = provider(async (request) => {
      vi.advanceTimersByTime(15_000)
      kept.set('prices:reading', 'of another process')
      await priced(5)(request)
    })
    await read(createSharedPriceSource(slow.source, values, { cacheMs: 60_000 }), [AVAX])
    expect(kept.get('prices:reading')).toBe('of another process')
  })

  it('is asked by a process that has waited long enough for another one', async () => {
    const { kept, values } = sharedMemory()
    kept.set('prices:reading', 'of a process that died')
    const { source } = provider(priced(7))
    const quotes = await read(createSharedPriceSource(source, values, { cacheMs: 60_000, patienceMs: 150 }), [AVAX])
    expect(quotes.get(AVAX)).toEqual({ usd: { price: 7 } })
    expect(kept.get('prices:reading')).toBe('of a process that died')
  })

  it('is asked by it no later because its clock was set back meanwhile', async () => {
    onTestFinished(() => void vi.useRealTimers())
    const { values } = sharedMemory()
    vi.useFakeTimers({ toFake: ['Date'] })
    const takeTurn = async (): Promise<boolean> => {
      vi.setSystemTime(Date.now() - 3_600_000)
      return false
    }
    const { source } = provider(priced(7))
    const others = { ...values, takeTurn }
    const quotes = await read(createSharedPriceSource(source, others, { cacheMs: 60_000, patienceMs: 150 }), [AVAX])
    expect(quotes.get(AVAX)).toEqual({ usd: { price: 7 } })
  })

  it.each([
    ['', 0],
    [', whose clock is an hour ahead', 3_600_000],
    [', whose clock is an hour behind', -3_600_000],
  ])('is left alone by all for as long as it told one to wait%s', async (_, skewMs) => {
    onTestFinished(() => void vi.useRealTimers())
    const { kept, values } = sharedMemory()
    const refusing = provider(() => Promise.reject(new UpstreamRateLimitedError('slow down', 300_000)))
    const first = createSharedPriceSource(refusing.source, values, { cacheMs: 60_000 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skewMs })
    await expect(read(first, [AVAX])).rejects.toThrow('slow down')
    vi.useRealTimers()
    const { source, reads } = provider(priced(1))
    const error: unknown = await read(createSharedPriceSource(source, values, { cacheMs: 60_000 }), [AVAX]).catch(
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(UpstreamRateLimitedError)
    expect((error as UpstreamRateLimitedError).retryAfterMs).toBeGreaterThan(200_000)
    expect((error as UpstreamRateLimitedError).retryAfterMs).toBeLessThanOrEqual(300_000)
    expect(reads).toEqual([])
    expect(kept.has('prices:reading')).toBe(false)
  })

  it('is asked again by all after a quarter of an hour, however long it told one to wait', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['performance'] })
    const { values } = sharedMemory()
    const refusing = provider(() => Promise.reject(new UpstreamRateLimitedError('slow down', 86_400_000)))
    const first = createSharedPriceSource(refusing.source, values, { cacheMs: 60_000 })
    await expect(read(first, [AVAX])).rejects.toThrow('slow down')
    vi.advanceTimersByTime(900_000)
    const second = createSharedPriceSource(provider(priced(1)).source, values, { cacheMs: 60_000 })
    expect((await read(second, [AVAX])).get(AVAX)).toEqual({ usd: { price: 1 } })
  })

  it('is asked where another process waits for longer than a quarter of an hour: it is of an earlier version', async () => {
    const { values } = sharedMemory()
    await values.set([['prices:paused', String(Date.now() + 86_400_000)]], 86_400_000)
    const { source, reads } = provider(priced(5))
    const taken = await read(createSharedPriceSource(source, values, { cacheMs: 60_000 }), [AVAX])
    expect(taken.get(AVAX)).toEqual({ usd: { price: 5 } })
    expect(reads).toHaveLength(1)
    // What this version shares itself is heeded.
    await values.set([['prices:paused', '1']], 900_000)
    await expect(read(createSharedPriceSource(source, values, { cacheMs: 60_000 }), [BTC])).rejects.toThrow('to wait')
  })

  it('is read without help when the others cannot be reached', async () => {
    const { source } = provider(priced(3))
    expect((await read(createSharedPriceSource(source, away, { cacheMs: 60_000 }), [AVAX])).get(AVAX)).toEqual({
      usd: { price: 3 },
    })
  })

  it.each(['', 'no json', '{}', '{"currencies":["usd"]}', '{"currencies":["usd"],"quotes":{"usd":{"price":"4"}}}'])(
    'goes by its own reading where %j is kept',
    async (text) => {
      const { kept, values } = sharedMemory()
      kept.set('prices:native/avalanche-2', text)
      const { source } = provider(priced(4))
      expect((await read(createSharedPriceSource(source, values, { cacheMs: 60_000 }), [AVAX])).get(AVAX)).toEqual({
        usd: { price: 4 },
      })
    },
  )
})
