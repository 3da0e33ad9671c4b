import { expect, it } from 'vitest'
import { type BalanceChain, type BalanceQuery, createBalanceService } from '../../../src/services/balances/index.ts'
import { answerAll, evm, scriptedChain, unpriced } from '../../support/balances/balance-api.ts'

const QUICK_MS = 1_000
const SLOW_MS = 10_000

/** Two accounts on each of two chains; the test moves the clock and may add a chain. */
function stage() {
  const world = { now: 1_000_000 }
  const read = answerAll(() => evm(1n))
  const chains = new Map<string, BalanceChain>([
    ['eip155:1', scriptedChain('eip155:1', 'evm', read, SLOW_MS)],
    ['eip155:2', scriptedChain('eip155:2', 'evm', read, QUICK_MS)],
  ])
  const service = createBalanceService({
    chainOf: (caip2Id) => chains.get(caip2Id),
    prices: unpriced,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs: 5_000,
    maxStaleMs: 60_000,
    cacheEntries: 100,
    now: () => world.now,
  })
  const query = (ids: readonly string[], accounts = ['0xa', '0xb']): BalanceQuery => ({
    chains: ids.map((caip2Id) => ({ caip2Id, networkType: 'evm', accounts: accounts.map((id) => ({ id })) })),
    currency: 'usd',
    showUntrustedTokens: false,
  })
  const load = async (of: BalanceQuery): Promise<void> => {
    const { pending, later } = service.read(of, new AbortController().signal)
    await Promise.all([...pending, ...(await later)])
  }
  return { world, chains, service, query, load }
}

it('ends with the chain that is the first to be read again, wherever it stands in the request', async () => {
  const { world, service, query, load } = stage()
  const orders = [query(['eip155:1', 'eip155:2']), query(['eip155:2', 'eip155:1'])]
  await load(orders[0] as BalanceQuery)
  const told = orders.map((order) => service.known(order).freshness)
  world.now += QUICK_MS - 1
  expect(told.map(service.isFresh)).toEqual([true, true])
  world.now += 1
  expect(told.map(service.isFresh)).toEqual([false, false])
})

it('nothing is read where no account has a name', async () => {
  const { service, query } = stage()
  const { items, missing } = service.known(query(['eip155:1'], ['']))
  expect([items.map(({ ok }) => ok), missing]).toEqual([[false], []])
})

it('is not told of a chain that is not served: it may be from the next moment on', async () => {
  const { chains, service, query, load } = stage()
  await load(query(['eip155:1']))
  const unserved = query(['eip155:1', 'eip155:3'])
  const { items, missing, freshness } = service.known(unserved)
  expect([items.map(({ ok }) => ok), missing]).toEqual([[true, true, false, false], []])
  expect(service.isFresh(freshness)).toBe(false)
  chains.set(
    'eip155:3',
    scriptedChain(
      'eip155:3',
      'evm',
      answerAll(() => evm(3n)),
      SLOW_MS,
    ),
  )
  expect(service.known(unserved).missing.map(({ caip2Id }) => caip2Id)).toEqual(['eip155:3'])
})
