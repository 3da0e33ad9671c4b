/**
 * External data about coins: prices and fiat rates, token lists, and whether a token can be trusted. Nothing here
 * fails a balance, and only prices are waited for, within their timeout: unknown members are left out, never zero.
 */
export { CURRENCIES, type Currency } from '../facts/currencies.ts'
export type { MarketLog } from './market-log.ts'
export { absoluteChange, fiatTotal, fiatValue } from './prices/fiat.ts'
export { createPriceBook, type PriceBookOptions } from './prices/price-book.ts'
export type {
  NativePriceKey,
  PriceBook,
  PriceBookStatus,
  PriceKey,
  Quote,
  Quotes,
  TokenPriceKey,
} from './prices/prices.ts'
export { convertQuote } from './prices/prices.ts'
export type { TokenListStatus } from './tokens/list-source.ts'
export type { ListedToken } from './tokens/token.ts'
export { createTokenLists, type TokenListOptions, type TokenLists } from './tokens/token-lists.ts'
export {
  createVerdicts,
  isTrusted,
  type JudgedToken,
  type Judgement,
  type ScanVerdict,
  type VerdictOptions,
  type Verdicts,
} from './trust/verdicts.ts'
