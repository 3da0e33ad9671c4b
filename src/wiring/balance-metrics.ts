import type { Outcome } from '../chains/capabilities.ts'
import { BadInputError, CancelledError } from '../errors.ts'
import type { Metrics } from '../metrics/index.ts'
import type { BalanceChain, BalanceService } from '../services/balances/index.ts'
import type { Balances } from '../services/balances/types.ts'

type BalanceMetrics = Metrics['balances']

/** The same chains, with counted and timed reads. Each is made once: every request looks its chains up. */
export function observeChains(
  chainOf: (caip2Id: string) => BalanceChain | undefined,
  metrics: BalanceMetrics | undefined,
): typeof chainOf {
  if (!metrics) return chainOf
  const observed = new WeakMap<BalanceChain, BalanceChain>()
  return (caip2Id) => {
    const chain = chainOf(caip2Id)
    if (!chain) return undefined
    const known = observed.get(chain)
    if (known) return known
    const made = { ...chain, source: observeSource(chain.source, metrics) }
    observed.set(chain, made)
    return made
  }
}

function observeSource(source: BalanceChain['source'], metrics: BalanceMetrics): BalanceChain['source'] {
  // Facts of a chain may become known later, so everything but the read is looked up at the source itself.
  return Object.create(source, {
    readBalances: {
      value: async (...args: Parameters<typeof source.readBalances>) => {
        const startedAt = performance.now()
        const [accounts] = args
        const told = (ok: number, failed: number): void =>
          metrics.chainRead({
            chain: source.caip2Id,
            seconds: (performance.now() - startedAt) / 1000,
            accounts: { ok, failed },
          })
        try {
          const outcomes = await source.readBalances(...args)
          const readable = accounts.map(({ id }) => outcomes.get(id)).filter((outcome) => !isMistaken(outcome))
          const ok = readable.filter((outcome) => outcome?.ok).length
          if (readable.length > 0) told(ok, readable.length - ok)
          return outcomes
        } catch (error) {
          // The client is gone, which says nothing about the chain.
          if (!(args[1].signal.reason instanceof CancelledError)) told(0, accounts.length)
          throw error
        }
      },
    },
  }) as BalanceChain['source']
}

/** An invalid address says nothing about the chain either: a single client polling it would trigger alerts. */
const isMistaken = (outcome: Outcome<Balances> | undefined): boolean =>
  outcome?.ok === false && outcome.error instanceof BadInputError

/** The same service, which also reports whether a request was answered from memory. */
export function observeBalances(service: BalanceService, metrics: BalanceMetrics | undefined): BalanceService {
  if (!metrics) return service
  return {
    known: (query) => {
      const known = service.known(query)
      metrics.answered(known.missing.length === 0 ? 'memory' : 'chains')
      return known
    },
    isFresh: (freshness) => {
      const isFresh = service.isFresh(freshness)
      if (isFresh) metrics.answered('memory')
      return isFresh
    },
    read: (query, signal) => service.read(query, signal),
  }
}
