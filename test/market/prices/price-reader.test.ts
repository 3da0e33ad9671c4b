import { expect, it, onTestFinished } from 'vitest'
import { UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createLivePriceBook } from '../../../src/market/prices/live-price-book.ts'
import { isNativeKey, type NativePriceKey, type TokenPriceKey } from '../../../src/market/prices/prices.ts'

const AVAX: NativePriceKey = { internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
const TOKEN: TokenPriceKey = { caip2Id: 'eip155:43114', address: '0x00000000000000000000000000000000000000aa' }

/** A provider that prices coins, and answers every question for tokens with an error. Each price is due after a second. */
function refusingTokens(error: () => Error) {
  const asked = { coins: 0, tokens: 0 }
  const world = { now: 1_000_000 }
  const book = createLivePriceBook(
    {
      async read({ keys, take }) {
        const areCoins = keys.every(isNativeKey)
        asked[areCoins ? 'coins' : 'tokens'] += 1
        if (!areCoins) throw error()
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
