/**
 * The balances use case: reads every asked chain once, shares and caches readings, values them, and reports every
 * (chain, id) pair exactly once, each chain as soon as it is known. No HTTP and no knowledge of any chain's protocol.
 */
import { CancelledError, FirnError } from '../../errors.ts'
import { type AccountReaderOptions, createAccountReader, type ReadingOutcome } from './account-reader.ts'
import { failureMessage, unsupportedMessage } from './failure-message.ts'
import { createPricing, type Pricing, type PricingQuery } from './pricing.ts'
import type { Account, BalanceChain, BalanceItem, BalanceQuery, ChainQuery, PricedBalances } from './types.ts'

export type { TokenJudge, TokenJudgement } from './pricing.ts'
export type { BalanceChain, BalanceItem, BalanceQuery, ChainQuery, PricedBalances } from './types.ts'

export interface BalanceServiceDeps extends AccountReaderOptions {
  /** Chain of a CAIP-2 id; undefined when it is not served. */
  chainOf: (caip2Id: string) => BalanceChain | undefined
  prices: Parameters<typeof createPricing>[0]['prices']
  judge: Parameters<typeof createPricing>[0]['judge']
  logger?: { warn(fields: object, message: string): void }
}

/** What is known at once, and the groups that follow. The promises reject only with CancelledError. */
export interface BalanceResult {
  ready: BalanceItem[]
  pending: Promise<BalanceItem[]>[]
}

export interface BalanceService {
  /** Every item of the query, when all of them are known and young enough; else undefined, and `read` is to be asked. */
  known(query: BalanceQuery): BalanceItem[] | undefined
  read(query: BalanceQuery, signal: AbortSignal): BalanceResult
}

export function createBalanceService(deps: BalanceServiceDeps): BalanceService {
  const reader = createAccountReader(deps)
  const pricing: Pricing = createPricing(deps)

  function readChain(query: ChainQuery, price: PricingQuery, result: BalanceResult): void {
    const chain = deps.chainOf(query.caip2Id)
    if (!chain) {
      result.ready.push(...unsupported(query))
      return
    }
    for (const group of reader.read(chain, query.networkType, query.accounts, price.signal)) {
      const priced = Array.isArray(group.outcomes) ? allKnown(group.outcomes, price) : undefined
      if (priced)
        result.ready.push(...group.accounts.map(({ id }, at) => succeeded(query, id, priced[at] as PricedBalances)))
      else result.pending.push(present(chain, query, group.accounts, group.outcomes, price))
    }
  }

  /** The priced form of readings that all have been priced before. */
  function allKnown(outcomes: ReadingOutcome[], price: PricingQuery): PricedBalances[] | undefined {
    const known: PricedBalances[] = []
    for (const outcome of outcomes) {
      const priced = outcome.ok ? pricing.known(outcome.reading.balances, price) : undefined
      if (!priced) return undefined
      known.push(priced)
    }
    return known
  }

  async function present(
    chain: BalanceChain,
    query: ChainQuery,
    accounts: readonly Account[],
    pending: ReadingOutcome[] | Promise<ReadingOutcome[]>,
    price: PricingQuery,
  ): Promise<BalanceItem[]> {
    const outcomes = await pending
    const readings = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.reading.balances] : []))
    const priced = (await pricing.price(chain.source, readings, price))[Symbol.iterator]()
    if (price.signal.aborted) throw new CancelledError()
    return accounts.map(({ id }, at) => {
      const outcome = outcomes[at] as ReadingOutcome
      if (outcome.ok) return succeeded(query, id, priced.next().value as PricedBalances)
      report(query.caip2Id, outcome.error)
      return failed(query, id, failureMessage(query.networkType, outcome.error, deps.deadlineMs))
    })
  }

  /** One line per failed chain read: accounts of one read share their error object. */
  const reported = new WeakSet<Error>()
  function report(caip2Id: string, error: Error): void {
    if (reported.has(error) || (error instanceof FirnError && error.expose)) return
    reported.add(error)
    deps.logger?.warn({ chain: caip2Id, err: error }, 'balances could not be read')
  }

  /** Adds the items of one chain; false when one of them is not known. */
  function addKnown(query: ChainQuery, variant: Omit<PricingQuery, 'signal'>, items: BalanceItem[]): boolean {
    const chain = deps.chainOf(query.caip2Id)
    if (!chain) {
      items.push(...unsupported(query))
      return true
    }
    const fresh = reader.fresh(chain, query.networkType, query.accounts)
    return (
      fresh?.every((reading, at) => {
        const priced = pricing.known(reading.balances, variant)
        if (priced) items.push(succeeded(query, (query.accounts[at] as Account).id, priced))
        return priced !== undefined
      }) ?? false
    )
  }

  return {
    known(query) {
      const items: BalanceItem[] = []
      return query.chains.every((chain) => addKnown(chain, query, items)) ? items : undefined
    },
    read({ chains, currency, showUntrustedTokens }, signal) {
      const result: BalanceResult = { ready: [], pending: [] }
      const price = { currency, showUntrustedTokens, signal }
      for (const query of chains) readChain(query, price, result)
      if (result.pending.length > 0) {
        const served = chains.flatMap((query) => deps.chainOf(query.caip2Id)?.source ?? [])
        pricing.prefetch(served, price)
      }
      return result
    },
  }
}

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

function unsupported(query: ChainQuery): BalanceItem[] {
  const message = unsupportedMessage(query.networkType, shortId(query))
  return query.accounts.map(({ id }) => failed(query, id, message))
}

/** EVM ids are named bare, as the real service does; the others with their namespace. */
const shortId = (query: ChainQuery): string => query.caip2Id.replace(/^eip155:/, '')
