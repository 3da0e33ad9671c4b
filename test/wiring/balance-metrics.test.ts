import { expect, it } from 'vitest'
import { BadInputError, CancelledError, DeadlineError, UpstreamUnavailableError } from '../../src/errors.ts'
import type { BalanceService, ChainQuery } from '../../src/services/balances/index.ts'
import { observeBalances, observeChains } from '../../src/wiring/balance-metrics.ts'
import { evm, scriptedChain } from '../support/balances/balance-api.ts'
import { readContext } from '../support/balances/balance-reads.ts'

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

it('an address that is none is no account that a chain failed to tell; one that is not answered is', async () => {
  const chain = scriptedChain('eip155:1', 'evm', async () => {
    return new Map([
      ['known', { ok: true, value: evm(1n) }],
      ['malformed', { ok: false, error: new BadInputError('malformed') }],
      ['away', { ok: false, error: new UpstreamUnavailableError('away') }],
    ])
  })
  const told: unknown[] = []
  const metrics = { chainRead: ({ accounts }: { accounts: unknown }) => void told.push(accounts), answered: () => {} }
  const source = observeChains(() => chain, metrics)('eip155:1')?.source
  const read = (...ids: string[]) =>
    source?.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
  await read('known', 'malformed')
  await read('malformed')
  await read('known', 'away', 'malformed', 'forgotten')
  expect(told).toEqual([
    { ok: 1, failed: 0 },
    { ok: 1, failed: 2 },
  ])
})

it('a read that failed counts for each of its accounts, and one that its client has left for none', async () => {
  const told: unknown[] = []
  const metrics = { chainRead: ({ accounts }: { accounts: unknown }) => void told.push(accounts), answered: () => {} }
  const chain = scriptedChain('eip155:1', 'evm', async () => Promise.reject(new UpstreamUnavailableError('away')))
  const source = observeChains(() => chain, metrics)('eip155:1')?.source
  const read = (signal: AbortSignal) =>
    source?.readBalances([{ id: 'a' }, { id: 'b' }], { signal, deadline: Date.now() + 60_000 })
  await expect(read(AbortSignal.abort(new CancelledError()))).rejects.toThrow('away')
  expect(told).toEqual([])
  await expect(read(AbortSignal.abort(new DeadlineError('late')))).rejects.toThrow('away')
  await expect(read(new AbortController().signal)).rejects.toThrow('away')
  expect(told).toEqual([
    { ok: 0, failed: 2 },
    { ok: 0, failed: 2 },
  ])
})
