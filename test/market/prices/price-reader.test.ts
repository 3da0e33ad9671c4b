import { expect, it, onTestFinished } from 'vitest'
import { UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createLivePriceBook } from '../../../src/market/prices/live-price-book.ts'
import type { PriceRequest } from '../../../src/market/prices/price-source.ts'
import { isNativeKey, type NativePriceKey, type TokenPriceKey } from '../../../src/market/prices/prices.ts'
import { gate } from '../../support/waiting/gate.ts'

const AVAX: NativePriceKey = { internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
const TOKEN: TokenPriceKey = { caip2Id: 'eip155:43114', address: '0x00000000000000000000000000000000000000aa' }

/** A provider that prices coins, and tokens unless there is an error. Each price is due after a second. */
function refusingTokens(error: () => Error | undefined) {
  const asked = { coins: 0, tokens: 0 }
  const world = { now: 1_000_000 }
  const book = createLivePriceBook(
    {
      async read({ keys, take }) {
        const areCoins = keys.every(isNativeKey)
        asked[areCoins ? 'coins' : 'tokens'] += 1
        const trouble = areCoins ? undefined : error()
        if (trouble) throw trouble
        for (const key of keys) take(key, { usd: { price: 2 } })
      },
    },
    { cacheMs: 900, maxStaleMs: 60_000, timeoutMs: 5_000, now: () => world.now },
  )
  onTestFinished(() => book.close())
  const seconds = async (many: number, tokens = [TOKEN]): Promise<void> => {
    for (let second = 0; second < many; second++) {
      await book.quote('usd', [AVAX], tokens)
      // A price that is not old yet is renewed behind the answer.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      world.now += 1_000
    }
  }
  return { asked, book, seconds }
}

it('tokens that cannot be read are left alone ever longer, and their trouble is told, while coins are read as always', async () => {
  const { asked, book, seconds } = refusingTokens(() => new UpstreamUnavailableError('no tokens here'))
  await seconds(128)
  // After 0, 1, 3, 7, 15, 31 and 63 seconds, then each minute.
  expect(asked).toEqual({ coins: 128, tokens: 8 })
  expect(book.status().trouble).toBe('no tokens here')
})

it('tokens that fail once are left alone for a second only, however long they failed before they were read again', async () => {
  let areThere = false
  const { asked, seconds } = refusingTokens(() =>
    areThere ? undefined : new UpstreamUnavailableError('no tokens here'),
  )
  await seconds(16)
  areThere = true
  await seconds(16)
  areThere = false
  asked.tokens = 0
  // After 0, 1 and 3 seconds.
  await seconds(4)
  expect(asked.tokens).toBe(3)
})

it('a failure of tokens that nobody asks for any more is forgotten after some minutes', async () => {
  const { book, seconds } = refusingTokens(() => new UpstreamUnavailableError('no tokens here'))
  await seconds(1)
  await seconds(300, [])
  expect(book.status().trouble).toBe('no tokens here')
  await seconds(5, [])
  expect(book.status().trouble).toBeUndefined()
})

it('a provider that limits calls is left alone with all', async () => {
  const limited = () => new UpstreamRateLimitedError('too many calls', 60_000)
  const { asked, seconds } = refusingTokens(limited)
  await seconds(60)
  expect(asked).toEqual({ coins: 1, tokens: 1 })
})

/** A provider without any price, and what each read asked it for. */
function askedProvider() {
  const asked: { keys: number; currencies: readonly string[] }[] = []
  const world = { now: 1_000_000 }
  const read = async ({ keys, currencies, take }: PriceRequest): Promise<void> => {
    asked.push({ keys: keys.length, currencies })
    for (const key of keys) take(key, {})
  }
  const book = createLivePriceBook(
    { read },
    { cacheMs: 900, maxStaleMs: 60_000, unknownMs: 900, timeoutMs: 5_000, now: () => world.now },
  )
  onTestFinished(() => book.close())
  return { asked, book, world }
}

it('no more tokens wait to be asked for than are kept, however many are asked about at once', async () => {
  const { asked, book } = askedProvider()
  const tokens = Array.from({ length: 5_001 }, (_, at) => ({ caip2Id: 'eip155:1', address: `0x${at}` }))
  await book.quote('usd', [], tokens)
  expect(asked.map(({ keys }) => keys)).toEqual([5_000])
})

it('a currency that nobody has asked for in an hour is asked for no more', async () => {
  const { asked, book, world } = askedProvider()
  await book.quote('eur', [AVAX], [])
  world.now += 3_600_000
  await book.quote('usd', [AVAX], [])
  world.now += 2_000
  await book.quote('usd', [AVAX], [])
  expect(asked.map(({ currencies }) => currencies)).toEqual([['usd', 'eur'], ['usd', 'eur'], ['usd']])
})

it('a read that has ended leaves no timer that would keep this process from ending', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const { book } = askedProvider()
  const before = timers()
  await book.quote('usd', [AVAX], [])
  await new Promise(setImmediate)
  expect(timers()).toBeLessThanOrEqual(before)
})

it('all who ask in another currency while a price is read have it after the next read, however late they came', async () => {
  const [told, ended] = [gate(), gate()]
  const asked: (readonly string[])[] = []
  const read = async ({ keys, currencies, take }: PriceRequest): Promise<void> => {
    if (asked.push(currencies) === 1) await told.opened
    for (const key of keys) take(key, { usd: { price: 2 }, eur: { price: 1 } })
    if (asked.length === 1) await ended.opened
  }
  const book = createLivePriceBook(
    { read },
    { cacheMs: 900, maxStaleMs: 60_000, timeoutMs: 300_000, now: () => 1_000_000 },
  )
  onTestFinished(() => book.close())
  const first = book.quote('usd', [AVAX], [])
  await expect.poll(() => asked.length).toBe(1)
  const second = book.quote('eur', [AVAX], [])
  told.open()
  await first
  const third = book.quote('eur', [AVAX], [])
  ended.open()
  for (const quotes of await Promise.all([second, third])) expect(quotes.get(AVAX)).toMatchObject({ price: 1 })
  expect(asked).toEqual([['usd'], ['usd', 'eur']])
})
