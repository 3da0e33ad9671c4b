import type {
  BalanceSource,
  BitcoinBalances,
  EvmBalances,
  NetworkType,
  SolanaBalances,
  TokenAmount,
} from '../../chains/capabilities.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'
import {
  type Currency,
  convertQuote,
  fiatTotal,
  fiatValue,
  type Judgement,
  type PriceBook,
  type Quote,
  type Quotes,
  type Verdicts,
} from '../../market/index.ts'
import type { SplitWatch } from './split-watch.ts'
import type { Account, Balances, Fiat, PricedBalances, TokenMarket } from './types.ts'

/** Pricing needs only the native coin's own fields of a chain. */
export type PricedChain = Pick<BalanceSource<Account, Balances>, 'caip2Id' | 'networkType' | 'native'>

export interface PricingQuery {
  currency: Currency
  showUntrustedTokens: boolean
  signal: AbortSignal
}

/**
 * Some accounts have thousands of tokens, and rating a new one takes up to a tenth of a millisecond: others get turns
 * in between.
 */
const JUDGED_PER_TURN = 250

/** Cached currencies and selections per reading: with all 26 currencies, memory would have no meaningful bound. */
const MOST_VARIANTS = 4

/** Balances are cached for longer than a late provider takes: missing prices are requested again after this. */
const UNREAD_MS = 1_000

/**
 * Adds fiat values to balances. Prices never delay beyond the price book's own timeout and never fail an answer:
 * unknown members are left out. The result of one reading is cached, so that repeated requests get the same object.
 */
export function createPricing(deps: {
  prices: PriceBook
  judge: Pick<Verdicts, 'judge' | 'trustsUnlisted'>
  scaledUnit?: 'shown' | 'held'
  splits?: SplitWatch
  now?: () => number
}) {
  const now = deps.now ?? steadyNow
  const kept = new WeakMap<Balances, Map<string, PricedBalances>>()

  /** The balances priced for this query, if cached. */
  const known = (balances: Balances, query: Omit<PricingQuery, 'signal'>): PricedBalances | undefined => {
    const priced = kept.get(balances)?.get(keyOf(query))
    return priced?.until === undefined || now() < priced.until ? priced : undefined
  }

  /** Starts loading the native prices while the chains are still being read. */
  const prefetch = (chains: readonly PricedChain[], query: PricingQuery): void => {
    void deps.prices.quote(query.currency, chains.map(nativeKey), [], query.signal)
  }

  const keep = (balances: Balances, variant: string, priced: PricedBalances): void => {
    const variants = kept.get(balances) ?? new Map<string, PricedBalances>()
    kept.set(balances, variants.set(variant, priced))
    const [oldest] = variants.keys()
    if (variants.size > MOST_VARIANTS && oldest !== undefined) variants.delete(oldest)
  }

  async function price(chain: PricedChain, all: readonly Balances[], query: PricingQuery): Promise<PricedBalances[]> {
    const done = new Map(all.map((balances) => [balances, known(balances, query)]))
    const todo = all.filter((balances) => done.get(balances) === undefined)
    if (todo.length > 0) {
      const shown = await shownTokens(chain, todo, query)
      const addresses = new Set(shown.flatMap((tokens) => [...tokens.keys()]))
      const quotes = await deps.prices.quote(
        query.currency,
        [nativeKey(chain)],
        [...addresses].map((address) => ({ caip2Id: chain.caip2Id, address })),
        query.signal,
      )
      todo.forEach((balances, at) => {
        const priced = value(chain, balances, shown[at] ?? new Map(), quotes, {
          currency: query.currency,
          isPartial: misses(chain, balances, query),
          multiplierOf: (token) => multiplierOf(chain, token),
          until: now() + UNREAD_MS,
        })
        done.set(balances, priced)
        // A client that has left did not wait for the prices; others will.
        if (!query.signal.aborted) keep(balances, keyOf(query), priced)
      })
    }
    return all.map((balances) => done.get(balances) as PricedBalances)
  }

  /** How many units of the market one unit of the balance is; null when it is currently uncertain. */
  function multiplierOf({ caip2Id }: PricedChain, { address, uiMultiplier }: TokenAmount): number | null {
    if (deps.scaledUnit === 'held' || uiMultiplier === undefined) return 1
    const isUnsettled = uiMultiplier !== null && deps.splits?.isSettled({ caip2Id, address }, uiMultiplier) === false
    return isUnsettled ? null : uiMultiplier
  }

  async function shownTokens(chain: PricedChain, all: readonly Balances[], query: PricingQuery) {
    let judged = 0
    const shownOfAll: Map<string, { token: TokenAmount; judgement: Judgement }>[] = []
    for (const balances of all) {
      const shown: (typeof shownOfAll)[number] = new Map()
      for (const token of tokensOf(chain.networkType, balances)) {
        judged += 1
        if (judged % JUDGED_PER_TURN === 0) await nextTurn()
        const judgement = deps.judge.judge(chain.caip2Id, token)
        if (query.showUntrustedTokens || judgement.trusted) shown.set(token.address, { token, judgement })
      }
      shownOfAll.push(shown)
    }
    return shownOfAll
  }

  /** Whether tokens that would be shown were left out. */
  function misses({ caip2Id }: PricedChain, balances: Balances, query: PricingQuery): boolean {
    const { hasMore } = balances as Partial<EvmBalances>
    return hasMore === true && (query.showUntrustedTokens || deps.judge.trustsUnlisted(caip2Id))
  }

  return { known, prefetch, price }
}

export type Pricing = ReturnType<typeof createPricing>

const keyOf = ({ currency, showUntrustedTokens }: Omit<PricingQuery, 'signal'>): string =>
  showUntrustedTokens ? `${currency} all` : currency

const nativeKey = ({ native }: PricedChain) => ({
  internalId: native.internalId,
  ...(native.priceId === undefined ? {} : { priceId: native.priceId }),
})

const tokensOf = (networkType: NetworkType, balances: Balances): readonly TokenAmount[] =>
  networkType === 'evm' || networkType === 'svm' ? (balances as EvmBalances | SolanaBalances).tokens : []

interface Valuation {
  currency: Currency
  isPartial: boolean
  multiplierOf(token: TokenAmount): number | null
  /** How long the result is cached if a price could not be read. */
  until: number
}

function value(
  chain: PricedChain,
  balances: Balances,
  shown: ReadonlyMap<string, { token: TokenAmount; judgement: Judgement }>,
  quotes: Quotes,
  { currency, isPartial, multiplierOf, until }: Valuation,
): PricedBalances {
  const { networkType, native } = chain
  const quote = quotes.get(nativeKey(chain))
  const amount = networkType === 'btc' ? (balances as BitcoinBalances).confirmed : (balances as EvmBalances).native
  const fiat = fiatOf(amount, native.decimals, quote)
  const tokens = new Map<string, TokenMarket>()
  let late = quotes.unread(nativeKey(chain))
  let isWhole = !isPartial
  for (const [address, { token, judgement }] of shown) {
    const key = { caip2Id: chain.caip2Id, address }
    const found = quotes.get(key)
    // Multipliers are only remembered for tokens with a price: anyone can create any number of tokens without one.
    const worth = fiatOf(token.balance, token.decimals, found && perUnit(found, multiplierOf(token)))
    // A price exists, but the value is unknown.
    const isUnread = quotes.unread(key)
    late ||= isUnread
    isWhole &&= !isUnread && (worth.value !== undefined || found === undefined)
    tokens.set(address, {
      ...worth,
      ...(judgement.scanResult === undefined ? {} : { scanResult: judgement.scanResult }),
    })
  }
  // A total without an existing price, or without a token, would be too small: none is sent then.
  const values = [...tokens.values()].map((token) => token.value)
  const total = isWhole ? fiatTotal(fiat.value, values) : undefined
  const unconfirmed = networkType === 'btc' ? unconfirmedOf(balances as BitcoinBalances, native, quote) : undefined
  return {
    networkType,
    balances,
    currency,
    native: fiat,
    tokens,
    ...(unconfirmed === undefined ? {} : { unconfirmedValue: unconfirmed }),
    ...(total === undefined ? {} : { total }),
    ...(late ? { until } : {}),
  }
}

const unconfirmedOf = (
  { unconfirmed }: BitcoinBalances,
  { decimals }: PricedChain['native'],
  quote: Quote | undefined,
) => quote && fiatValue(unconfirmed, decimals, quote.price)

/**
 * Price of one unit of the balance if markets price another unit, so that balance times price is the value for everyone
 * who multiplies. The change in percent stays that of the market's unit.
 */
function perUnit(quote: Quote, multiplier: number | null): Quote | undefined {
  if (multiplier === 1) return quote
  return multiplier === null ? undefined : convertQuote(quote, multiplier)
}

function fiatOf(amount: bigint, decimals: number, quote: Quote | undefined): Fiat {
  if (!quote) return {}
  const worth = fiatValue(amount, decimals, quote.price)
  return { ...quote, ...(worth === undefined ? {} : { value: worth }) }
}
