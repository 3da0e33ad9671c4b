import { expect, it } from 'vitest'
import { createPriceCache } from '../../../src/market/prices/price-cache.ts'

const AGES = { cacheMs: 60_000, maxStaleMs: 600_000, unknownMs: 600_000 }
const TOKEN = { caip2Id: 'eip155:1', address: '0x11' }
const ID = 'eip155:1/0x11'

it('a price that moved is the new one also where the change over the day is not told, or stays what it was', () => {
  const cache = createPriceCache(AGES, 10)
  cache.take(TOKEN, ['usd'], { usd: { price: 2 } }, 0)
  cache.take(TOKEN, ['usd'], { usd: { price: 3 } }, 1_000)
  expect(cache.state(ID, 'usd', 1_000).quote).toEqual({ price: 3 })
  const daily = { change24h: 1, changePercent24h: 50 }
  cache.take(TOKEN, ['usd'], { usd: { price: 3, ...daily } }, 2_000)
  expect(cache.state(ID, 'usd', 2_000).quote).toEqual({ price: 3, ...daily })
  cache.take(TOKEN, ['usd'], { usd: { price: 4, ...daily } }, 3_000)
  expect(cache.state(ID, 'usd', 3_000).quote).toEqual({ price: 4, ...daily })
})

it('is the same object as long as nothing of it moved', () => {
  const cache = createPriceCache(AGES, 10)
  const quote = { price: 2, change24h: 1, changePercent24h: 50 }
  cache.take(TOKEN, ['usd'], { usd: quote }, 0)
  cache.take(TOKEN, ['usd'], { usd: { ...quote } }, 1_000)
  expect(cache.state(ID, 'usd', 1_000).quote).toBe(quote)
})

it('a price that is too old to be shown is waited for, also where it is asked for again later than that', () => {
  const cache = createPriceCache({ ...AGES, maxStaleMs: 70_000 }, 10)
  cache.take(TOKEN, ['usd'], { usd: { price: 2 } }, 0)
  expect(cache.state(ID, 'usd', 70_000)).toEqual({ quote: { price: 2 }, due: true, awaited: false, unread: false })
  expect(cache.state(ID, 'usd', 70_001)).toEqual({ quote: undefined, due: true, awaited: true, unread: true })
})

it('however many tokens without a price are asked about, prices stay', () => {
  const cache = createPriceCache(AGES, 10)
  const token = (at: number) => ({ caip2Id: 'eip155:1', address: `0x${at}` })
  const native = { internalId: 'NATIVE-eth', priceId: 'ethereum' }
  const known = (id: string) => cache.state(id, 'usd', 1_000).quote?.price
  cache.take(native, ['usd'], { usd: { price: 3_000 } }, 0)
  cache.take(TOKEN, ['usd'], {}, 0)
  cache.take(TOKEN, ['usd'], { usd: { price: 2 } }, 0)
  for (let at = 100; at < 150; at++) cache.take(token(at), ['usd'], {}, 0)
  expect([known('native/ethereum'), known(ID)]).toEqual([3_000, 2])
  expect(cache.size()).toBe(12)
  // One that has lost its price is one of these.
  cache.take(TOKEN, ['usd'], {}, AGES.maxStaleMs + 1)
  expect(cache.state(ID, 'usd', AGES.maxStaleMs + 1)).toMatchObject({ quote: undefined, due: false })
  for (let at = 150; at < 200; at++) cache.take(token(at), ['usd'], {}, AGES.maxStaleMs + 1)
  expect(cache.size()).toBe(11)
})
