import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPriceBook, type NativePriceKey, type PriceBook, type TokenPriceKey } from '../../src/market/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../src/upstream/index.ts'
import { gate } from '../support/gate.ts'
import { type FakeCoingecko, startFakeCoingecko } from './fake-coingecko.ts'

const AVAX: NativePriceKey = { internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
const BTC: NativePriceKey = { internalId: 'NATIVE-btc', priceId: 'bitcoin' }
const token = (index: number): TokenPriceKey => ({
  caip2Id: 'eip155:43114',
  address: `0x${index.toString(16).padStart(40, '0')}`,
})

let fake: FakeCoingecko
let book: PriceBook
let pool: UpstreamPool
let clock: number
let folder: string

const open = (more: Record<string, unknown> = {}): PriceBook => {
  book = createPriceBook({
    provider: 'coingecko',
    pool,
    url: fake.server.url,
    platforms: { 'eip155:43114': 'avalanche' },
    cacheMs: 60_000,
    maxStaleMs: 600_000,
    timeoutMs: 5_000,
    now: () => clock,
    ...more,
  })
  return book
}

beforeEach(async () => {
  clock = 1_800_000_000_000
  folder = await mkdtemp(join(tmpdir(), 'firn-prices-'))
  fake = await startFakeCoingecko()
  pool = createUpstreamPool('prices', [{ url: fake.server.url }], DEFAULT_LIMITS)
  fake.coins['avalanche-2'] = { usd: 13.73, change: 6.25 }
  fake.coins['bitcoin'] = { usd: 91_998, change: 6.18116 }
})

afterEach(async () => {
  book.close()
  await pool.close()
  await fake.server.close()
  await rm(folder, { recursive: true, force: true })
})

describe('natives', () => {
  it('brings price, change in percent and absolute change, in one call for all coins', async () => {
    const quotes = await open().quote('usd', [AVAX, BTC], [])
    expect(quotes.get(AVAX)).toEqual({ price: 13.73, changePercent24h: 6.25, change24h: 13.73 - 13.73 / 1.0625 })
    expect(quotes.get(BTC)?.change24h).toBeCloseTo(5355.49, 1)
    expect(fake.paths()).toEqual(['/simple/price'])
  })

  it('shares one call between callers, and answers from memory until the price is old', async () => {
    open()
    await Promise.all(Array.from({ length: 20 }, () => book.quote('usd', [AVAX], [])))
    const first = (await book.quote('usd', [AVAX], [])).get(AVAX)
    fake.coins['avalanche-2'] = { usd: 20 }
    clock += 59_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.paths()).toHaveLength(1)
    clock += 62_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toEqual({ price: 20 })
    expect(fake.paths()).toHaveLength(2)
  })

  it('hands out a price that is just due while the new one is fetched, and keeps the object when nothing changed', async () => {
    const first = (await open().quote('usd', [AVAX], [])).get(AVAX)
    clock += 61_000
    fake.server.set({ latencyMs: 30 })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    await expect.poll(() => fake.paths().length).toBe(2)
    await expect.poll(() => book.status().lastSuccess).toBe(clock)
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
    clock += 120_000
    await book.quote('mxn', [AVAX], [])
    expect(fake.paths().filter((path) => path === '/exchange_rates')).toHaveLength(1)
  })

  it('has no price in a currency for which there is no rate', async () => {
    const quotes = await open().quote('huf', [AVAX], [])
    expect(quotes.get(AVAX)).toBeUndefined()
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
    const quotes = await open({ coinList: false }).quote('usd', [], [token(0xabc)])
    expect(quotes.get(token(0xabc))?.price).toBe(5)
  })

  it('learns how many contracts a call may carry', async () => {
    fake.allowed = 10
    for (let i = 0; i < 35; i += 1) fake.contracts[`avalanche/${token(i).address}`] = { usd: i + 1 }
    const keys = Array.from({ length: 35 }, (_, i) => token(i))
    const quotes = await open({ coinList: false }).quote('usd', [], keys)
    expect(keys.map((key) => quotes.get(key)?.price)).toEqual(keys.map((_, i) => i + 1))
    expect(fake.paths()).toHaveLength(5)
  })

  it('stops after the calls of one read and goes on with the next', async () => {
    fake.allowed = 1
    for (let i = 0; i < 6; i += 1) fake.contracts[`avalanche/${token(i).address}`] = { usd: i + 1 }
    const keys = Array.from({ length: 6 }, (_, i) => token(i))
    open({ coinList: false, contractsPerCall: 1, callsPerRead: 4 })
    const first = await book.quote('usd', [], keys)
    expect(keys.filter((key) => first.get(key) !== undefined)).toHaveLength(4)
    expect(keys.filter((key) => first.unread(key))).toHaveLength(2)
    const second = await book.quote('usd', [], keys)
    expect(keys.every((key) => second.get(key) !== undefined)).toBe(true)
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

  it('keeps the coin list on disk, and loads it again when the file is broken', async () => {
    const coinListFile = join(folder, 'market', 'coins.json')
    fake.list = [{ id: 'usd-coin', platforms: { avalanche: token(1).address } }]
    fake.coins['usd-coin'] = { usd: 1 }
    await open({ coinListFile }).quote('usd', [], [token(1)])
    book.close()
    expect(JSON.parse(await readFile(coinListFile, 'utf8'))).toEqual([[`avalanche/${token(1).address}`, 'usd-coin']])
    expect((await open({ coinListFile }).quote('usd', [], [token(1)])).get(token(1))?.price).toBe(1)
    book.close()
    expect(fake.paths().filter((path) => path === '/coins/list')).toHaveLength(1)
    await writeFile(coinListFile, '[["avalanche/0x')
    expect((await open({ coinListFile }).quote('usd', [], [token(1)])).get(token(1))?.price).toBe(1)
    expect(fake.paths().filter((path) => path === '/coins/list')).toHaveLength(2)
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

describe('trouble', () => {
  it('pauses for retry-after on 429: nobody waits, nobody asks, old prices go out until they are too old', async () => {
    const first = (await open().quote('usd', [AVAX], [])).get(AVAX)
    clock += 130_000
    fake.server.set({ rateLimited: { retryAfterSeconds: 300 } })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    const asked = fake.server.stats.requests
    clock += 200_000
    fake.server.set()
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.server.stats.requests).toBe(asked)
    expect(book.status().pausedUntil).toBe(clock - 200_000 + 300_000)
    clock += 101_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.server.stats.requests).toBe(asked + 1)
    expect(book.status().trouble).toBeUndefined()
  })

  it('leaves prices out once they are older than the bound, and says that they are unread', async () => {
    await open().quote('usd', [AVAX], [])
    fake.server.set({ status: 503 })
    clock += 599_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
    clock += 2_000
    const quotes = await book.quote('usd', [AVAX], [])
    expect(quotes.get(AVAX)).toBeUndefined()
    expect(quotes.unread(AVAX)).toBe(true)
  })

  it.each([
    ['500', { status: 500 }],
    ['HTML', { html: true }],
    ['cut', { truncate: true }],
    ['dead', { dead: true }],
  ])('answers without prices on %s, pauses, and recovers', async (_, faults) => {
    fake.server.set(faults)
    open()
    const quotes = await book.quote('usd', [AVAX], [token(1)])
    expect(quotes.get(AVAX)).toBeUndefined()
    expect(quotes.unread(AVAX)).toBe(true)
    expect(book.status().trouble).toBeTypeOf('string')
    fake.server.set()
    clock += 61_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
  })

  it('does not wait longer than the timeout, and has the late price for the next caller', async () => {
    const held = gate()
    fake.server.set({ held: held.opened })
    open({ timeoutMs: 20 })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBeUndefined()
    held.open()
    await expect.poll(async () => (await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
    expect(fake.paths()).toHaveLength(1)
  })

  it('ends the wait with the signal and with the deadline', async () => {
    fake.server.set({ hang: 'headers' })
    open({ timeoutMs: 600_000, readTimeoutMs: 600_000 })
    const controller = new AbortController()
    const waiting = book.quote('usd', [AVAX], [], { signal: controller.signal })
    await expect.poll(() => fake.server.stats.inFlight).toBe(1)
    controller.abort()
    expect((await waiting).get(AVAX)).toBeUndefined()
    // The read itself goes on for whoever asks next.
    expect(fake.server.stats.inFlight).toBe(1)
    expect((await book.quote('usd', [AVAX], [], { deadline: Date.now() + 5 })).get(AVAX)).toBeUndefined()
  })

  it('keeps what was answered before a batch failed', async () => {
    for (let i = 0; i < 4; i += 1) fake.contracts[`avalanche/${token(i).address}`] = { usd: i + 1 }
    fake.server.set(({ number }) => (number === 2 ? { status: 502 } : {}))
    open({ coinList: false, contractsPerCall: 2 })
    const quotes = await book.quote('usd', [], [token(0), token(1), token(2), token(3)])
    expect([0, 1, 2, 3].map((i) => quotes.get(token(i))?.price)).toEqual([1, 2, undefined, undefined])
    expect(quotes.unread(token(3))).toBe(true)
  })

  it('does not lose a price of a minute ago because one answer lacks it', async () => {
    const first = (await open().quote('usd', [AVAX], [])).get(AVAX)
    fake.coins = {}
    clock += 130_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    clock += 480_000
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBeUndefined()
  })

  it('closes the connection of a read under way', async () => {
    fake.server.set({ hang: 'headers' })
    open()
    const waiting = book.quote('usd', [AVAX], [])
    await expect.poll(() => fake.server.stats.inFlight).toBe(1)
    book.close()
    await waiting
    await expect.poll(() => fake.server.stats.aborts).toBe(1)
  })
})
