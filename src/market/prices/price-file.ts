import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BadInputError } from '../../errors.ts'
import { CURRENCIES, type Currency } from '../../facts/currencies.ts'
import { fillCurrencies, type RatesPerUsd } from './exchange-rates.ts'
import { addressKey, isNativeKey, type PriceKey, type QuotesByCurrency, toQuote } from './prices.ts'

const PositiveSchema = Type.Number({ exclusiveMinimum: 0 })
const PerCurrencySchema = Object.fromEntries(CURRENCIES.map((currency) => [currency, Type.Optional(PositiveSchema)]))

/** A number is the price in usd. A currency given here takes precedence over the rate. */
const FilePriceSchema = Type.Union([
  PositiveSchema,
  Type.Object(
    { ...PerCurrencySchema, changePercent24h: Type.Optional(Type.Number({ exclusiveMinimum: -100 })) },
    { additionalProperties: false },
  ),
])

/**
 * Prices in a file, for sandboxes, tests and air-gapped servers:
 *
 *     {
 *       "rates": { "eur": 0.92, "chf": 0.88 },
 *       "natives": { "avalanche-2": { "usd": 13.73, "changePercent24h": -2.1 }, "NATIVE-btc": 91998 },
 *       "tokens": { "eip155:43114": { "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e": { "usd": 1, "eur": 0.91 } } }
 *     }
 *
 * `rates`: currency units per usd. `natives`: by the provider's id (checked first) or by internalId. `tokens`: by
 * CAIP-2 chain, then contract (any case) or mint.
 */
const PriceFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    about: Type.Optional(Type.String()),
    rates: Type.Optional(Type.Object(PerCurrencySchema, { additionalProperties: false })),
    natives: Type.Optional(Type.Record(Type.String(), FilePriceSchema)),
    tokens: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), FilePriceSchema))),
  },
  { additionalProperties: false },
)
type FilePrice = Static<typeof FilePriceSchema>

/** Prices of a parsed file; the same objects on every call. */
export interface FilePrices {
  find(key: PriceKey): QuotesByCurrency | undefined
  entries: number
}

const quotesOf = (price: FilePrice, rates: RatesPerUsd): QuotesByCurrency => {
  const members: Record<string, unknown> = typeof price === 'number' ? { usd: price } : price
  const quotes: QuotesByCurrency = {}
  for (const currency of CURRENCIES) {
    const quote = toQuote(members[currency], members['changePercent24h'])
    if (quote !== undefined) quotes[currency] = quote
  }
  return fillCurrencies(quotes, CURRENCIES, rates)
}

const complain = (document: unknown): never => {
  const [first] = Value.Errors(PriceFileSchema, document)
  throw new BadInputError(`${first?.path || '/'}: ${first?.message ?? 'not a price file'}`)
}

/**
 * Parses a price file.
 * @throws BadInputError naming the first wrong place; SyntaxError when it is not JSON.
 */
export const parsePriceFile = (text: string): FilePrices => {
  const document: unknown = JSON.parse(text)
  if (!Value.Check(PriceFileSchema, document)) return complain(document)
  const rates: Partial<Record<Currency, number>> = document.rates ?? {}
  const found = new Map<string, QuotesByCurrency>()
  for (const [id, price] of Object.entries(document.natives ?? {})) found.set(`native/${id}`, quotesOf(price, rates))
  for (const [caip2Id, tokens] of Object.entries(document.tokens ?? {}))
    for (const [address, price] of Object.entries(tokens))
      found.set(`${caip2Id}/${addressKey(address)}`, quotesOf(price, rates))
  return {
    entries: found.size,
    find: (key) =>
      isNativeKey(key)
        ? ((key.priceId === undefined ? undefined : found.get(`native/${key.priceId}`)) ??
          found.get(`native/${key.internalId}`))
        : found.get(`${key.caip2Id}/${addressKey(key.address)}`),
  }
}
