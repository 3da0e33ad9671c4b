import { Type } from '@sinclair/typebox'
import { CURRENCIES } from '../facts/currencies.ts'

export const CurrencySchema = Type.Union(
  CURRENCIES.map((currency) => Type.Literal(currency)),
  { description: 'Fiat currency of prices and values; default usd.', title: 'Currency' },
)
