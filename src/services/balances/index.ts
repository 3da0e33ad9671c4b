/**
 * The balances use case: reads every requested chain once, shares and caches readings, values them, and reports every
 * (chain, id) pair exactly once, each chain as soon as it is known. No HTTP and no knowledge of any chain's protocol.
 */
import { CancelledError } from '../../errors.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'
import { type AccountReaderOptions, createAccountReader, type Freshness } from './account-reader.ts'
import { createFailureLog } from './failure-log.ts'
import { failureMessage, namelessMessage, unsupportedMessage } from './failure-message.ts'
import type { ReadingOutcome } from './kept-readings.ts'
import { createPricing, type Pricing, type PricingQuery } from './pricing.ts'
import { createSplitWatch } from './split-watch.ts'
import type { Account, BalanceChain, BalanceItem, BalanceQuery, ChainQuery, PricedBalances } from './types.ts'

export type { Freshness } from './account-reader.ts'
export type { BalanceChain, BalanceItem, BalanceQuery, ChainQuery, PricedBalances } from './types.ts'

export interface BalanceServiceDeps extends AccountReaderOptions {
  /** Chain of a CAIP-2 id; undefined when it is not served. */
  chainOf: (caip2Id: string) => BalanceChain | undefined
  prices: Parameters<typeof createPricing>[0]['prices']
  judge: Parameters<typeof createPricing>[0]['judge']
  /** The unit of prices for tokens whose displayed amount differs from the held one. */
  scaledUnit?: 'shown' | 'held'
  /** How long after a split prices are assumed to be the old ones, in milliseconds; 0, the default, means never. */
  splitSettleMs?: number
  logger?: { warn(fields: object, message: string): void }
}

/** What is available from the cache. */
export interface KnownBalances {
  items: BalanceItem[]
  /** Chains that have to be read, in the order of the query. */
  missing: ChainQuery[]
  /** If nothing is missing: how long the same query has the same items. */
  freshness: Freshness
}

/** The pending items of each chain. The promises reject only with CancelledError. */
export type PendingItems = Promise<BalanceItem[]>[]

export interface BalanceService {
  /** The items of all chains whose accounts are all cached and young enough. */
  known(query: BalanceQuery): KnownBalances
  /** True as long as `known` would return the same items as it did with this freshness. */
  isFresh(freshness: Freshness): boolean
  /** Reads the chains; the second part of them follows some turns of the event loop later. */
  read(query: BalanceQuery, signal: AbortSignal): { pending: PendingItems; later: Promise<PendingItems> }
}

export function createBalanceService(deps: BalanceServiceDeps): BalanceService {
  const reader = createAccountReader(deps)
  const pricing: Pricing = createPricing({ ...deps, splits: createSplitWatch(deps.splitSettleMs ?? 0) })
  const report = createFailureLog(deps)

  async function readChain(query: ChainQuery, price: PricingQuery, client: string | undefined): Promise<BalanceItem[]> {
    const chain = deps.chainOf(query.caip2Id)
    if (!chain) return unsupported(query)
    const outcomes = await reader.read(chain, query, price.signal, client)
    const balances = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.balances] : []))
    const priced = (await pricing.price(chain.source, balances, price))[Symbol.iterator]()
    if (price.signal.aborted) throw new CancelledError()
    return query.accounts.map(({ id }, at) => {
      const outcome = outcomes[at] as ReadingOutcome
      if (outcome.ok) return succeeded(query, id, priced.next().value as PricedBalances)
      report(query.caip2Id, outcome.error)
      const { error, afterMs } = outcome
      return failed(query, id, failureMessage(query.networkType, error, { deadlineMs: deps.deadlineMs, afterMs }))
    })
  }

  /** Adds the items of one chain if all of them are cached and returns until when they are; else undefined. */
  function addKnown(
    query: ChainQuery,
    variant: Omit<PricingQuery, 'signal'>,
    items: BalanceItem[],
  ): number | undefined {
    const chain = deps.chainOf(query.caip2Id)
    if (!chain) {
      items.push(...unsupported(query))
      return Number.NEGATIVE_INFINITY
    }
    const fresh = reader.fresh(chain, query)
    if (!fresh) return undefined
    const known: BalanceItem[] = []
    let { until } = fresh
    for (const [at, balances] of fresh.balances.entries()) {
      const priced = pricing.known(balances, variant)
      if (!priced) return undefined
      until = Math.min(until, priced.until ?? until)
      known.push(succeeded(query, (query.accounts[at] as Account).id, priced))
    }
    items.push(...known)
    return until
  }

  return {
    known(query) {
      const items: BalanceItem[] = []
      const missing: ChainQuery[] = []
      let soonest = Number.POSITIVE_INFINITY
      for (const chain of query.chains) {
        const named = withoutNameless(chain, items)
        if (named.accounts.length === 0) continue
        const until = addKnown(named, query, items)
        if (until === undefined) missing.push(named)
        else soonest = Math.min(soonest, until)
      }
      return { items, missing, freshness: reader.freshness(soonest) }
    },
    isFresh: reader.isFresh,
    /**
     * The first item only waits for the fastest chain: its calls are sent before the other reads start. Of these the
     * slowest starts first, because the last item waits for it.
     */
    read({ chains, currency, showUntrustedTokens, client }, signal) {
      const price = { currency, showUntrustedTokens, signal }
      const [quickest, ...others] = fastestFirst(chains, reader.readTimeOf)
      /** One, two, four per turn: the calls of these are on their way while others are prepared. */
      const begin = async (): Promise<PendingItems> => {
        const pending: PendingItems = []
        const waiting = others.reverse()
        for (let count = 1; waiting.length > 0; count *= 2) {
          await nextTurn()
          if (signal.aborted) return pending
          const begun = waiting.splice(0, count).map((chain) => readChain(chain, price, client))
          // They are awaited only after the last has started; a client that disconnects meanwhile is no error.
          for (const items of begun) items.catch(() => {})
          pending.push(...begun)
        }
        const served = chains.flatMap((chain) => deps.chainOf(chain.caip2Id)?.source ?? [])
        pricing.prefetch(served, price)
        return pending
      }
      return { pending: quickest ? [readChain(quickest, price, client)] : [], later: begin() }
    },
  }
}

/** Fastest first; those that were never read last, and otherwise in the order of the request. */
const fastestFirst = (chains: readonly ChainQuery[], readTimeOf: (caip2Id: string) => number): ChainQuery[] =>
  chains
    .map((chain) => ({ chain, ms: readTimeOf(chain.caip2Id) }))
    .sort((a, b) => (a.ms === b.ms ? 0 : a.ms - b.ms))
    .map(({ chain }) => chain)

const succeeded = (query: ChainQuery, id: string, priced: PricedBalances): BalanceItem => ({
  ok: true,
  caip2Id: query.caip2Id,
  networkType: query.networkType,
  id,
  priced,
})

const failed = (query: ChainQuery, id: string, message: string): BalanceItem => ({
  ok: false,
  caip2Id: query.caip2Id,
  networkType: query.networkType,
  id,
  message,
})

/** The chain without the accounts whose id is empty: those are answered by an error. */
function withoutNameless(query: ChainQuery, items: BalanceItem[]): ChainQuery {
  if (!query.accounts.some(({ id }) => id === '')) return query
  items.push(failed(query, '', namelessMessage(query.networkType)))
  return { ...query, accounts: query.accounts.filter(({ id }) => id !== '') }
}

function unsupported(query: ChainQuery): BalanceItem[] {
  const message = unsupportedMessage(query.networkType, shortId(query))
  return query.accounts.map(({ id }) => failed(query, id, message))
}

/** EVM ids are written bare, as in the real service; the others with their namespace. */
const shortId = (query: ChainQuery): string => query.caip2Id.replace(/^eip155:/, '')
