import { expect, it, onTestFinished } from 'vitest'
import { CancelledError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { nextTurn } from '../../../src/lib/waiting/next-turn.ts'
import { type BalanceItem, type ChainQuery, createBalanceService } from '../../../src/services/balances/index.ts'
import { evm, scriptedChain, unpriced } from '../../support/balances/balance-api.ts'

const A = '0x00000000000000000000000000000000000000aa'

/** A service over chains whose reads take as many milliseconds of the test's clock as the table says. */
function timed(costs: Record<string, number>) {
  let clock = 0
  const asked: string[] = []
  const down = new Set<string>()
  const silent = new Set<string>()
  const chains = Object.keys(costs).map((caip2Id) =>
    scriptedChain(
      caip2Id,
      'evm',
      async (accounts) => {
        asked.push(caip2Id)
        clock += costs[caip2Id] as number
        if (silent.has(caip2Id)) await new Promise(() => undefined)
        if (down.has(caip2Id)) throw new UpstreamUnavailableError('nobody answers')
        return new Map(accounts.map(({ id }) => [id, { ok: true, value: evm(1n) }]))
      },
      0,
    ),
  )
  const service = createBalanceService({
    chainOf: (id) => chains.find(({ source }) => source.caip2Id === id),
    prices: unpriced,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs: 60_000,
    maxStaleMs: 0,
    cacheEntries: 10,
    now: () => clock,
  })
  const queries: ChainQuery[] = chains.map(({ source }) => ({
    caip2Id: source.caip2Id,
    networkType: 'evm',
    accounts: [{ id: A }],
  }))
  const begin = (only = queries, signal = new AbortController().signal) =>
    service.read({ chains: [...only], currency: 'usd', showUntrustedTokens: true }, signal)
  const read = async (only = queries): Promise<BalanceItem[]> => {
    const { pending, later } = begin(only)
    return (await Promise.all([...pending, ...(await later)])).flat()
  }
  return { asked, down, silent, queries, begin, read }
}

it('asks the chain first that has been answering soonest, and of the others the slowest', async () => {
  const { asked, queries, read } = timed({ 'eip155:1': 40, 'eip155:2': 5, 'eip155:3': 900, 'eip155:4': 70 })
  for (const query of queries) await read([query])
  asked.length = 0
  const items = await read()
  expect(asked).toEqual(['eip155:2', 'eip155:3', 'eip155:4', 'eip155:1'])
  expect(items.map(({ caip2Id, id }) => `${caip2Id} ${id}`).sort()).toEqual(
    queries.map(({ caip2Id }) => `${caip2Id} ${A}`),
  )
})

it('goes by the newest reads: a chain that has become slow is no longer first', async () => {
  const costs = { 'eip155:1': 10, 'eip155:2': 20 }
  const { asked, queries, read } = timed(costs)
  for (const query of queries) await read([query])
  costs['eip155:1'] = 500
  await read()
  asked.length = 0
  await read()
  expect(asked).toEqual(['eip155:2', 'eip155:1'])
})

it('goes by several reads: one that was slow does not make a slow chain', async () => {
  const costs = { 'eip155:1': 10, 'eip155:2': 60 }
  const { asked, queries, read } = timed(costs)
  for (const query of queries) await read([query])
  costs['eip155:1'] = 90
  await read(queries.slice(0, 1))
  asked.length = 0
  await read()
  expect(asked).toEqual(['eip155:1', 'eip155:2'])
})

it('a chain that fails at once is no quick one: it goes by the reads that it answered', async () => {
  const { asked, down, queries, read } = timed({ 'eip155:1': 3, 'eip155:2': 100, 'eip155:3': 50 })
  down.add('eip155:1')
  for (const query of queries) await read([query])
  asked.length = 0
  await read()
  expect(asked).toEqual(['eip155:3', 'eip155:1', 'eip155:2'])
})

it('begins no further read when the reader has left meanwhile', async () => {
  const { asked, queries, begin } = timed({ 'eip155:1': 1, 'eip155:2': 2 })
  const leaving = new AbortController()
  const { pending, later } = begin(queries, leaving.signal)
  leaving.abort(new CancelledError())
  await expect(Promise.all(pending)).rejects.toBeInstanceOf(CancelledError)
  expect(await later).toEqual([])
  expect(asked).toEqual(['eip155:1'])
})

it('a reader that leaves while further reads begin leaves no failure that nobody hears: it would end this process', async () => {
  const { asked, silent, queries, begin } = timed({ 'eip155:1': 1, 'eip155:2': 1, 'eip155:3': 1, 'eip155:4': 1 })
  for (const { caip2Id } of queries) silent.add(caip2Id)
  const unheard: unknown[] = []
  const hear = (reason: unknown): void => void unheard.push(reason)
  process.on('unhandledRejection', hear)
  onTestFinished(() => void process.off('unhandledRejection', hear))
  const leaving = new AbortController()
  const { pending, later } = begin(queries, leaving.signal)
  const first = expect(Promise.all(pending)).rejects.toBeInstanceOf(CancelledError)
  await nextTurn()
  expect(asked).toHaveLength(2)
  leaving.abort(new CancelledError())
  expect(await later).toHaveLength(1)
  await first
  expect(unheard).toEqual([])
})
