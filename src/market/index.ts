/**
 * What the world outside the chains says about coins: prices and fiat rates, token lists, and whether a token is to be
 * trusted. Nothing here delays or fails a balance: unknown members are left out, never zero.
 */
export { CURRENCIES, type Currency } from '../lib/currencies.ts'
export { absoluteChange, fiatTotal, fiatValue } from './fiat.ts'
export type { TokenListStatus } from './list-source.ts'
export type { MarketLog } from './market-log.ts'
export { createPriceBook, type PriceBookOptions } from './price-book.ts'
export type {
  NativePriceKey,
  PriceBook,
  PriceBookStatus,
  PriceKey,
  Quote,
  QuoteOptions,
  Quotes,
  TokenPriceKey,
} from './prices.ts'
export { convertQuote } from './prices.ts'
export type { ListedToken } from './token.ts'
export { createTokenLists, type TokenListOptions, type TokenLists } from './token-lists.ts'
export {
  createVerdicts,
  isTrusted,
  type JudgedToken,
  type Judgement,
  type ScanVerdict,
  type VerdictOptions,
  type Verdicts,
} from './verdicts.ts'
