import { expect, it } from 'vitest'
import type { BalanceService, ChainQuery } from '../../src/services/balances/index.ts'
import { observeBalances } from '../../src/wiring/balance-metrics.ts'

const CHAIN: ChainQuery = { caip2Id: 'eip155:1', networkType: 'evm', accounts: [{ id: 'a' }] }
const FRESHNESS = { until: 0, replaced: 0 }

it('each request counts once, by where its answer came from', () => {
  let missing: ChainQuery[] = []
  let isFresh = false
  const service: BalanceService = {
    known: () => ({ items: [], missing, freshness: FRESHNESS }),
    isFresh: () => isFresh,
    read: () => ({ pending: [], later: Promise.resolve([]) }),
  }
  const answered: string[] = []
  const metrics = { chainRead: () => undefined, answered: (source: string) => void answered.push(source) }
  const observed = observeBalances(service, metrics)
  /** As the API asks: by what it knows of the last answer first. */
  const request = (): void => {
    if (observed.isFresh(FRESHNESS)) return
    observed.known({ chains: [CHAIN], currency: 'usd', showUntrustedTokens: false })
  }
  request()
  missing = [CHAIN]
  request()
  isFresh = true
  request()
  expect(answered).toEqual(['memory', 'chains', 'memory'])
})
