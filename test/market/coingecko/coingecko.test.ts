import { describe, expect, it } from 'vitest'
import { gate } from '../../support/waiting/gate.ts'
import { AVAX, advance, BTC, book, fake, now, open, token, useCoingecko } from '../coingecko-book.ts'

useCoingecko()

describe('natives', () => {
  it('brings price, change in percent and absolute change, in one call for all coins', async () => {
    const quotes = await open().quote('usd', [AVAX, BTC], [])
    expect(quotes.get(AVAX)).toEqual({ price: 13.73, changePercent24h: 6.25, change24h: 13.73 * (6.25 / 106.25) })
    expect(quotes.get(BTC)?.change24h).toBeCloseTo(5355.49, 1)
    expect(fake.paths()).toEqual(['/simple/price'])
  })

  it('shares one call between callers, and answers from memory until the price is old', async () => {
    open()
    await Promise.all(Array.from({ length: 20 }, () => book.quote('usd', [AVAX], [])))
    const first = (await book.quote('usd', [AVAX], [])).get(AVAX)
    fake.coins['avalanche-2'] = { usd: 20 }
    advance(59_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.paths()).toHaveLength(1)
    advance(62_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toEqual({ price: 20 })
    expect(fake.paths()).toHaveLength(2)
  })

  it('hands out a price that is just due while the new one is fetched, and keeps the object when nothing changed', async () => {
    const first = (await open().quote('usd', [AVAX], [])).get(AVAX)
    advance(61_000)
    const held = gate()
    fake.server.set({ held: held.opened })
    let told: unknown
    void book.quote('usd', [AVAX], []).then((quotes) => {
      told = quotes.get(AVAX)
    })
    await expect.poll(() => fake.server.stats.inFlight).toBe(1)
    expect(told).toBe(first)
    held.open()
    await expect.poll(() => book.status().lastSuccess).toBe(now())
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.paths()).toHaveLength(2)
  })

  it('refreshes all coins of the catalogue with the call that one of them needs', async () => {
    open({ natives: [AVAX, BTC] })
    await book.quote('usd', [AVAX], [])
    const quotes = await book.quote('usd', [BTC], [])
    expect(quotes.get(BTC)?.price).toBe(91_998)
    expect(fake.paths()).toHaveLength(1)
  })

  it('asks for a second currency while the first is still on its way', async () => {
    open()
    const held = gate()
    fake.server.set({ held: held.opened })
    const usd = book.quote('usd', [AVAX], [])
    await expect.poll(() => fake.server.stats.inFlight).toBe(1)
    const eur = book.quote('eur', [AVAX], [])
    held.open()
    expect((await eur).get(AVAX)?.price).toBeCloseTo(13.73 * 0.9, 12)
    expect((await usd).get(AVAX)?.price).toBe(13.73)
  })

  it('leaves a coin without an id at the provider unpriced, without asking', async () => {
    const key = { internalId: 'NATIVE-local' }
    const quotes = await open().quote('usd', [key], [])
    expect(quotes.get(key)).toBeUndefined()
    expect(quotes.unread(key)).toBe(false)
    expect(fake.paths()).toEqual([])
  })

  it('takes zero, negative and absent prices for no price', async () => {
    fake.coins = { 'avalanche-2': { usd: 0 }, bitcoin: { usd: -1 } }
    const quotes = await open().quote('usd', [AVAX, BTC], [])
    expect([quotes.get(AVAX), quotes.get(BTC)]).toEqual([undefined, undefined])
    expect(quotes.unread(AVAX)).toBe(false)
  })
})

describe('prices of long ago', () => {
  const HOUR = 3_600
  const seconds = () => Math.floor(Date.now() / 1_000)

  it.each([
    ['of an hour ago', () => seconds() - HOUR, 13.73],
    ['of nearly a day ago', () => seconds() - 24 * HOUR + 60, 13.73],
    ['of a day ago', () => seconds() - 24 * HOUR - 60, undefined],
    ['of years ago', () => 1_600_000_000, undefined],
    ['of nobody knows when', () => null, 13.73],
    ['of a clock that is ahead', () => seconds() + HOUR, 13.73],
  ])('%s', async (_, updatedAt, price) => {
    fake.coins['avalanche-2'] = { usd: 13.73, updatedAt: updatedAt() }
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 13.73, updatedAt: updatedAt() }
    const quotes = await open().quote('usd', [AVAX], [token(1)])
    // The coin of a chain that is served does not die.
    expect([AVAX, token(1)].map((key) => quotes.get(key)?.price)).toEqual([13.73, price])
    expect([AVAX, token(1)].map((key) => quotes.unread(key))).toEqual([false, false])
  })

  it('go by the clock of the provider, as ours may be wrong', async () => {
    const past = new Date('2026-01-02T00:00:00Z')
    fake.date = past.toUTCString()
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 13.73, updatedAt: past.getTime() / 1_000 - HOUR }
    const quotes = await open().quote('usd', [], [token(1)])
    expect(quotes.get(token(1))?.price).toBe(13.73)
  })

  it('tell no rate of a currency', async () => {
    const told = (updatedAt: number) => {
      fake.instead = {
        bitcoin: { usd: 100_000, eur: 50_000, last_updated_at: updatedAt },
        'avalanche-2': { usd: 10, last_updated_at: seconds() },
      }
      return open().quote('eur', [AVAX, BTC], [])
    }
    expect((await told(seconds())).get(AVAX)?.price).toBe(5)
    expect((await told(1_600_000_000)).get(AVAX)).toBeUndefined()
  })
})

describe('currencies', () => {
  it('converts what the provider lacks with rates hidden in the other prices', async () => {
    fake.rates = { usd: 1, eur: 0.9 }
    const quotes = await open().quote('eur', [AVAX], [])
    expect(quotes.get(AVAX)?.price).toBeCloseTo(12.357, 12)
    expect(fake.paths()).toEqual(['/simple/price'])
  })

  it('falls back on the rate table of the provider, and asks for it once', async () => {
    fake.table = { btc: 1, usd: 100_000, mxn: 1_800_000, eur: 90_000 }
    open()
    const quotes = await book.quote('mxn', [AVAX], [])
    expect(quotes.get(AVAX)?.price).toBeCloseTo(13.73 * 18, 9)
    expect(quotes.get(AVAX)?.changePercent24h).toBe(6.25)
    advance(120_000)
    await book.quote('mxn', [AVAX], [])
    expect(fake.paths().filter((path) => path === '/exchange_rates')).toHaveLength(1)
  })

  it('has no price in a currency for which there is no rate', async () => {
    const quotes = await open().quote('huf', [AVAX], [])
    expect(quotes.get(AVAX)).toBeUndefined()
    // It has a price, which nobody can say in that currency.
    expect(quotes.unread(AVAX)).toBe(true)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
  })
})

describe('tokens', () => {
  it('asks by contract, lower case, when there is no coin list', async () => {
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 0.999949, change: -0.01 }
    const asked = { ...token(1), address: `0x${'0'.repeat(39)}1` }
    const quotes = await open().quote(
      'usd',
      [],
      [asked, token(2), { caip2Id: 'eip155:999', address: token(1).address }],
    )
    expect(quotes.get(asked)?.price).toBe(0.999949)
    expect(quotes.get(token(2))).toBeUndefined()
    expect(quotes.unread(token(2))).toBe(false)
    expect(fake.paths()).toEqual(['/coins/list', '/simple/token_price/avalanche'])
  })

  it('finds the answer under an address written in another case', async () => {
    fake.contracts[`avalanche/${token(0xabc).address}`] = { usd: 5 }
    fake.upperCase = true
    const quotes = await open().quote('usd', [], [token(0xabc)])
    expect(quotes.get(token(0xabc))?.price).toBe(5)
  })

  it('learns how many contracts a call may carry', async () => {
    fake.allowed = 10
    for (let i = 0; i < 35; i += 1) fake.contracts[`avalanche/${token(i).address}`] = { usd: i + 1 }
    const keys = Array.from({ length: 35 }, (_, i) => token(i))
    const quotes = await open().quote('usd', [], keys)
    expect(keys.map((key) => quotes.get(key)?.price)).toEqual(keys.map((_, i) => i + 1))
    expect(fake.paths().filter((path) => path !== '/coins/list')).toHaveLength(5)
  })

  it('stops after the calls of one read and goes on with the next', async () => {
    fake.allowed = 1
    for (let i = 0; i < 25; i += 1) fake.contracts[`avalanche/${token(i).address}`] = { usd: i + 1 }
    const keys = Array.from({ length: 25 }, (_, i) => token(i))
    const first = await open().quote('usd', [], keys)
    // Twenty calls, of which one has shown how many contracts are allowed.
    expect(keys.filter((key) => first.get(key) !== undefined)).toHaveLength(19)
    expect(keys.filter((key) => first.unread(key))).toHaveLength(6)
    const second = await book.quote('usd', [], keys)
    expect(keys.every((key) => second.get(key) !== undefined)).toBe(true)
  })

  it('asks for nothing, not even the coin list, on a chain without a platform, as test networks are', async () => {
    const key = { ...token(1), caip2Id: 'eip155:43113' }
    const quotes = await open().quote('usd', [], [key])
    expect([quotes.get(key), quotes.unread(key)]).toEqual([undefined, false])
    expect(fake.paths()).toEqual([])
  })

  it('prices by coin id where the list knows the contract: one call for many, none for unknown ones', async () => {
    fake.list = [
      { id: 'usd-coin', platforms: { avalanche: token(1).address.toUpperCase().replace('0X', '0x'), ethereum: '0x9' } },
      { id: 'broken', platforms: null },
      null,
      { id: 'tether', platforms: { avalanche: token(2).address } },
    ]
    fake.coins['usd-coin'] = { usd: 1.001 }
    fake.coins['tether'] = { usd: 0.998 }
    const quotes = await open().quote('usd', [], [token(1), token(2), token(3)])
    expect([1, 2, 3].map((i) => quotes.get(token(i))?.price)).toEqual([1.001, 0.998, undefined])
    expect(quotes.unread(token(3))).toBe(false)
    expect(fake.paths()).toEqual(['/coins/list', '/simple/price'])
  })
})

describe('keys', () => {
  it('sends a demo key in its header, and none without a key', async () => {
    await open({ apiKey: 'demo-key' }).quote('usd', [AVAX], [])
    expect(fake.headers[0]?.['x-cg-demo-api-key']).toBe('demo-key')
    expect(fake.headers[0]?.['x-cg-pro-api-key']).toBeUndefined()
  })

  it('sends a pro key to the paid host', async () => {
    await open({ apiKey: 'pro-key', url: 'https://pro-api.coingecko.com/api/v3' }).quote('usd', [AVAX], [])
    expect(fake.headers[0]?.['x-cg-pro-api-key']).toBe('pro-key')
  })
})
