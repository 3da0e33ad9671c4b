import { describe, expect, it } from 'vitest'
import type { NetworkType, TokenAmount } from '../../../src/chains/capabilities.ts'
import type { Currency, PriceBook, PriceKey, Quote } from '../../../src/market/index.ts'
import { createPricing } from '../../../src/services/balances/pricing.ts'
import { createSplitWatch } from '../../../src/services/balances/split-watch.ts'
import type { Balances } from '../../../src/services/balances/types.ts'
import { evm } from '../../support/balances/balance-api.ts'

const NATIVE = { name: 'Coin', symbol: 'COIN', decimals: 3, internalId: 'NATIVE-coin' }
const chain = (networkType: NetworkType) => ({ caip2Id: 'chain:1', networkType, native: NATIVE })
const token = (address: string, balance: bigint, decimals: number): TokenAmount => ({
  address,
  name: address,
  symbol: address,
  decimals,
  balance,
})

/** Prices by currency and by address, the coin under its id. */
function book(prices: Record<string, Record<string, Quote>>, unread: readonly string[] = []) {
  const idOf = (key: PriceKey) => ('internalId' in key ? key.internalId : key.address)
  const asked: string[][] = []
  const prices_: PriceBook = {
    quote: async (currency, natives, tokens) => {
      asked.push([...natives, ...tokens].map(idOf))
      return { get: (key) => prices[currency]?.[idOf(key)], unread: (key) => unread.includes(idOf(key)) }
    },
    status: () => ({ provider: 'none', entries: 0 }),
    close: () => undefined,
  }
  return { prices: prices_, asked }
}

/** Tokens whose address begins with `bad` are not trusted. */
const judge = {
  trustsUnlisted: (caip2Id: string) => caip2Id === 'chain:without-lists',
  judge: (_: string, { address }: { address: string }) =>
    address.startsWith('bad') ? { trusted: false, scanResult: 'Spam' as const } : { trusted: true },
}
const query = (change: { currency?: Currency; showUntrustedTokens?: boolean } = {}) => ({
  currency: 'usd' as const,
  showUntrustedTokens: true,
  signal: new AbortController().signal,
  ...change,
})
const PRICES = {
  usd: {
    'NATIVE-coin': { price: 2, change24h: -0.5, changePercent24h: -20 },
    a: { price: 0.25 },
    bad: { price: 1_000 },
  },
  eur: { 'NATIVE-coin': { price: 1 }, a: { price: 0.125 } },
}
const price = async (
  networkType: NetworkType,
  balances: Balances,
  { prices } = book(PRICES),
  asked: Parameters<typeof query>[0] = {},
) => (await createPricing({ prices, judge }).price(chain(networkType), [balances], query(asked)))[0]

describe('values', () => {
  it('are amounts by their own decimals times their own price; the total is their sum', async () => {
    const priced = await price('evm', evm(1_500n, [token('a', 400n, 2), token('b', 7n, 0)]))
    expect(priced).toMatchObject({
      currency: 'usd',
      native: { value: 3, price: 2, change24h: -0.5, changePercent24h: -20 },
      total: 4,
    })
    expect([...(priced?.tokens ?? [])]).toEqual([
      ['a', { value: 1, price: 0.25 }],
      ['b', {}],
    ])
  })

  it('of Solana tokens are in the total as well', async () => {
    const held = { ...token('a', 400n, 2), associatedTokenAddress: 'x' }
    expect(await price('svm', { native: 500n, tokens: [held] })).toMatchObject({ native: { value: 1 }, total: 2 })
  })

  it('of Bitcoin are that of what is confirmed, and apart from it of what is not, below zero as well', async () => {
    const priced = await price('btc', { confirmed: 4_000n, unconfirmed: -1_500n })
    expect(priced).toMatchObject({ native: { value: 8 }, unconfirmedValue: -3, total: 8 })
    const unpriced = await price('btc', { confirmed: 4_000n, unconfirmed: -1_500n }, book({}))
    expect(unpriced).not.toHaveProperty('unconfirmedValue')
    expect(unpriced).not.toHaveProperty('total')
    expect(unpriced?.native).toEqual({})
  })

  it('that cannot be read now take the total away: it would be smaller than the truth', async () => {
    const balances = evm(1_500n, [token('a', 400n, 2), token('b', 7n, 0)])
    const priced = await price('evm', balances, book(PRICES, ['b']))
    expect(priced).not.toHaveProperty('total')
    expect(priced).toMatchObject({ native: { value: 3 } })
    expect(priced?.tokens.get('a')).toMatchObject({ value: 1 })
    // Not to be shown, so nothing is missing without it.
    const hidden = evm(1_500n, [token('bad', 7n, 0)])
    expect(await price('evm', hidden, book(PRICES, ['bad']), { showUntrustedTokens: false })).toMatchObject({
      total: 3,
    })
  })
})

describe('tokens whose market unit is not the unit of the balance', () => {
  const held = (uiMultiplier: number | null) => ({ ...token('a', 400n, 2), associatedTokenAddress: 'x', uiMultiplier })
  const priced = { ...PRICES, usd: { ...PRICES.usd, a: { price: 0.25, change24h: 0.05, changePercent24h: 25 } } }
  const value = (uiMultiplier: number | null, prices = book(priced)) =>
    price('svm', { native: 500n, tokens: [held(uiMultiplier)] }, prices)

  it('are worth what all their market units are, and so is the price of one unit of the balance', async () => {
    const split = await value(5)
    expect(split?.tokens.get('a')).toEqual({ value: 5, price: 1.25, change24h: 0.25, changePercent24h: 25 })
    expect(split).toMatchObject({ total: 6 })
    expect((await value(1))?.tokens.get('a')).toEqual({ value: 1, ...priced.usd.a })
  })

  it('have neither value nor price where the unit is not known, and there is no total without them', async () => {
    const dear = book({ usd: { ...PRICES.usd, a: { price: 4 } } })
    for (const found of [await value(null), await value(Number.MAX_VALUE, dear)]) {
      expect(found?.tokens.get('a')).toEqual({})
      expect(found).toMatchObject({ native: { value: 1 } })
      expect(found).not.toHaveProperty('total')
    }
  })

  it('are worth the price as it is where that is of what is held', async () => {
    const pricing = createPricing({ prices: book(priced).prices, judge, scaledUnit: 'held' })
    for (const uiMultiplier of [5, null]) {
      const [found] = await pricing.price(chain('svm'), [{ native: 500n, tokens: [held(uiMultiplier)] }], query())
      expect(found?.tokens.get('a')).toEqual({ value: 1, ...priced.usd.a })
      expect(found).toMatchObject({ total: 2 })
    }
  })

  it('have neither value nor price for a while after a split, since prices follow it late', async () => {
    let time = 0
    const splits = createSplitWatch(1_000, () => time)
    const pricing = createPricing({ prices: book(priced).prices, judge, splits })
    const read = async (uiMultiplier: number) =>
      (await pricing.price(chain('svm'), [{ native: 500n, tokens: [held(uiMultiplier)] }], query()))[0]
    expect(await read(1)).toMatchObject({ total: 2 })
    const split = await read(5)
    expect(split?.tokens.get('a')).toEqual({})
    expect(split).toMatchObject({ native: { value: 1 } })
    expect(split).not.toHaveProperty('total')
    time = 1_000
    expect((await read(5))?.tokens.get('a')).toMatchObject({ value: 5, price: 1.25 })
    // A price of what is held knows of no split.
    const ofHeld = createPricing({ prices: book(priced).prices, judge, scaledUnit: 'held', splits })
    const [found] = await ofHeld.price(chain('svm'), [{ native: 500n, tokens: [held(9)] }], query())
    expect(found).toMatchObject({ total: 2 })
  })

  it('have none either where a stranger has many thousands of such tokens, which nobody trades, looked at before', async () => {
    let now = 1_000_000
    const splits = createSplitWatch(600_000, () => now)
    const pricing = createPricing({ prices: book(PRICES).prices, judge, splits })
    const share = (uiMultiplier: number) => evm(0n, [{ ...token('a', 400n, 2), uiMultiplier }])
    const worthOf = async (balances: Balances) =>
      (await pricing.price(chain('evm'), [balances], query()))[0]?.tokens.get('a')?.value
    expect(await worthOf(share(1))).toBe(1)
    const made = Array.from({ length: 10_001 }, (_, at) => ({ ...token(`made${at}`, 1n, 0), uiMultiplier: 1 }))
    await pricing.price(chain('evm'), [evm(0n, made)], query())
    now += 1_000
    expect(await worthOf(share(10))).toBeUndefined()
    now += 600_000
    expect(await worthOf(share(10))).toBe(10)
  })

  it('leave the total alone where nobody knows a price of them', async () => {
    expect(await value(null, book({ usd: { 'NATIVE-coin': { price: 2 } } }))).toMatchObject({ total: 1 })
  })
})

it('thousands of tokens do not hold up others while they are looked at', async () => {
  const { prices } = book(PRICES)
  let turns = 0
  let turnsSeen = 0
  const counting = {
    ...judge,
    judge: (caip2Id: string, one: { address: string }) => {
      turnsSeen = turns
      return judge.judge(caip2Id, one)
    },
  }
  let ended = false
  const count = () => {
    turns += 1
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  const tokens = Array.from({ length: 3_000 }, (_, at) => token(`t${at}`, 1n, 0))
  const [priced] = await createPricing({ prices, judge: counting }).price(chain('evm'), [evm(1n, tokens)], query())
  ended = true
  expect(priced?.tokens.size).toBe(3_000)
  expect(turnsSeen).toBeGreaterThan(8)
})

it('an account with more tokens than were looked at has no total where the others would be shown', async () => {
  const { prices } = book(PRICES)
  const pricing = createPricing({ prices, judge })
  const balances = { ...evm(1_500n, [token('a', 400n, 2)]), hasMore: true as const }
  const totalOf = async (caip2Id: string, change: Parameters<typeof query>[0]) =>
    (await pricing.price({ ...chain('evm'), caip2Id }, [{ ...balances }], query(change)))[0]?.total
  expect(await totalOf('chain:1', {})).toBeUndefined()
  expect(await totalOf('chain:1', { showUntrustedTokens: false })).toBe(4)
  expect(await totalOf('chain:without-lists', { showUntrustedTokens: false })).toBeUndefined()
})

describe('tokens that are not trusted', () => {
  it('are shown to who asks for them, with the verdict, and else are no part of anything', async () => {
    const balances = evm(1_500n, [token('a', 400n, 2), token('bad', 1n, 0)])
    const all = await price('evm', balances)
    expect(all?.tokens.get('bad')).toEqual({ value: 1_000, price: 1_000, scanResult: 'Spam' })
    expect(all?.total).toBe(1_004)
    const { prices, asked } = book(PRICES)
    const trusted = await price('evm', balances, { prices, asked }, { showUntrustedTokens: false })
    expect([...(trusted?.tokens.keys() ?? [])]).toEqual(['a'])
    expect(trusted?.total).toBe(4)
    expect(asked).toEqual([['NATIVE-coin', 'a']])
  })
})

it('what was priced once is the same object, for each currency and each choice of tokens apart', async () => {
  const { prices, asked } = book(PRICES)
  const pricing = createPricing({ prices, judge })
  const balances = evm(1_500n, [token('a', 400n, 2), token('bad', 1n, 0)])
  const read = async (change: Parameters<typeof query>[0]) =>
    (await pricing.price(chain('evm'), [balances], query(change)))[0]
  const variants = [{}, { currency: 'eur' as const }, { showUntrustedTokens: false }]
  for (const variant of variants) expect(pricing.known(balances, query(variant))).toBeUndefined()
  const first = await Promise.all(variants.map(read))
  expect(first.map((priced) => [priced?.currency, priced?.total, priced?.tokens.size])).toEqual([
    ['usd', 1_004, 2],
    ['eur', 2, 2],
    ['usd', 4, 1],
  ])
  const again = await Promise.all(variants.map(read))
  for (const [at, variant] of variants.entries()) {
    expect(again[at]).toBe(first[at])
    expect(pricing.known(balances, query(variant))).toBe(first[at])
  }
  expect(asked).toHaveLength(3)
})

it('of one reading a few currencies are kept, those of late: all of them would fill the memory', async () => {
  const { prices } = book(PRICES)
  const pricing = createPricing({ prices, judge })
  const balances = evm(1_500n)
  const currencies = ['usd', 'eur', 'gbp', 'chf', 'huf', 'mxn'] as const
  for (const currency of currencies) {
    const [priced] = await pricing.price(chain('evm'), [balances], query({ currency }))
    expect(priced?.currency).toBe(currency)
  }
  const kept = currencies.filter((currency) => pricing.known(balances, query({ currency })) !== undefined)
  expect(kept).toEqual(['gbp', 'chf', 'huf', 'mxn'])
  // Whoever waited for prices while others asked for more still has his own.
  const asked = await Promise.all(
    currencies.map((currency) => pricing.price(chain('evm'), [balances], query({ currency }))),
  )
  expect(asked.map(([priced]) => priced?.currency)).toEqual(currencies)
})
