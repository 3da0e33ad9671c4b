import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CURRENCIES, createPriceBook, type PriceBook } from '../../../src/market/index.ts'

const AVAX = { internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
const BTC = { internalId: 'NATIVE-btc' }
const USDC = { caip2Id: 'eip155:43114', address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E' }
const RATES = Object.fromEntries(CURRENCIES.map((currency, index) => [currency, index === 0 ? 1 : index + 0.5]))

let folder: string
let file: string
let warnings: object[]
let book: PriceBook

/** Writes the file and waits until it is looked at again. */
const put = async (document: unknown): Promise<void> => {
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document))
  await new Promise((resolve) => setTimeout(resolve, 250))
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-price-file-'))
  file = join(folder, 'prices.json')
  warnings = []
  book = createPriceBook({
    provider: 'file',
    file,
    log: { debug: () => undefined, warn: (fields) => void warnings.push(fields) },
  })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('prices of a file', () => {
  it('serves natives by id or internal id and tokens by chain and address in any case', async () => {
    await put({
      natives: { 'avalanche-2': { usd: 13.73, changePercent24h: 10 }, 'NATIVE-btc': 91_998 },
      tokens: { 'eip155:43114': { [USDC.address.toLowerCase()]: 0.999949 } },
    })
    const quotes = await book.quote('usd', [AVAX, BTC], [USDC])
    expect(quotes.get(AVAX)).toEqual({ price: 13.73, changePercent24h: 10, change24h: 13.73 * (10 / 110) })
    expect(quotes.get(BTC)).toEqual({ price: 91_998 })
    expect(quotes.get(USDC)).toEqual({ price: 0.999949 })
    expect(book.status()).toMatchObject({ provider: 'file', entries: 3 })
  })

  it('serves all 13 currencies from usd prices and rates; a price in the currency itself wins', async () => {
    await put({ rates: RATES, natives: { 'avalanche-2': 2, 'NATIVE-btc': { usd: 100, eur: 77 } } })
    for (const currency of CURRENCIES) {
      const quotes = await book.quote(currency, [AVAX, BTC], [])
      expect(quotes.get(AVAX)?.price).toBe(2 * Number(RATES[currency]))
      if (currency === 'eur') expect(quotes.get(BTC)?.price).toBe(77)
    }
  })

  it('takes a changed file soon and keeps the objects of an unchanged one', async () => {
    await put({ natives: { 'avalanche-2': 1 } })
    const first = (await book.quote('usd', [AVAX], [])).get(AVAX)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    await put({ natives: { 'avalanche-2': 22.5 } })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(22.5)
  })

  it('keeps the last good content when the file breaks or goes, and says so once', async () => {
    await put({ natives: { 'avalanche-2': 1 } })
    await book.quote('usd', [AVAX], [])
    await put('{"natives": {"avalanche-2"')
    await book.quote('usd', [AVAX], [])
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(1)
    expect(warnings).toHaveLength(1)
    expect(book.status().trouble).toMatch(/JSON/)
    await put({ natives: { 'avalanche-2': -1 } })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(1)
    expect(book.status().trouble).toMatch(/avalanche-2/)
  })

  it('what has a price in another currency only is unread, so that no total goes out without it', async () => {
    await put({ natives: { 'avalanche-2': { usd: 1, eur: 2 } }, tokens: { [USDC.caip2Id]: { [USDC.address]: 1 } } })
    const quotes = await book.quote('eur', [AVAX], [USDC])
    expect([quotes.get(AVAX)?.price, quotes.get(USDC)]).toEqual([2, undefined])
    expect([quotes.unread(AVAX), quotes.unread(USDC)]).toEqual([false, true])
    expect(quotes.unread({ ...USDC, address: `0x${'99'.repeat(20)}` })).toBe(false)
  })

  it('without a file: no prices, no failure, and everything unread', async () => {
    const quotes = await book.quote('usd', [AVAX], [USDC])
    expect(quotes.get(AVAX)).toBeUndefined()
    expect(quotes.unread(USDC)).toBe(true)
    await book.quote('usd', [AVAX], [])
    expect(warnings).toHaveLength(1)
  })
})

describe('no provider', () => {
  it('has no prices and nothing unread', async () => {
    const none = createPriceBook({ provider: 'none' })
    const quotes = await none.quote('usd', [AVAX], [USDC])
    expect([quotes.get(AVAX), quotes.unread(AVAX), none.status().provider]).toEqual([undefined, false, 'none'])
  })
})
