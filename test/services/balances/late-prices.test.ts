import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLivePriceBook } from '../../../src/market/prices/live-price-book.ts'
import { isNativeKey } from '../../../src/market/prices/prices.ts'
import { type BalanceItem, type BalanceQuery, createBalanceService } from '../../../src/services/balances/index.ts'
import { answerAll, evm, scriptedChain } from '../../support/balances/balance-api.ts'
import { gate } from '../../support/waiting/gate.ts'

/** As long as blocks of Ethereum are apart: so long one reading is handed out. */
const BLOCK_MS = 12_000

/** One chain, and a provider that answers when its gate is opened. The test moves the clock of readings. */
function stage(timeoutMs: number, { balances = () => evm(3n * 10n ** 18n), coinsAtOnce = false } = {}) {
  const world = { now: 1_000_000 }
  const provider = gate()
  const prices = createLivePriceBook(
    {
      async read({ keys, take }) {
        if (!coinsAtOnce || !keys.every(isNativeKey)) await provider.opened
        for (const key of keys) take(key, { usd: { price: 2 } })
      },
    },
    { cacheMs: 60_000, maxStaleMs: 600_000, timeoutMs },
  )
  const read = answerAll(balances)
  const chain = scriptedChain('eip155:1', 'evm', read, BLOCK_MS)
  const service = createBalanceService({
    chainOf: () => chain,
    prices,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs: 5_000,
    maxStaleMs: 60_000,
    cacheEntries: 100,
    now: () => world.now,
  })
  const query: BalanceQuery = {
    chains: [{ caip2Id: 'eip155:1', networkType: 'evm', accounts: [{ id: '0xa' }] }],
    currency: 'usd',
    showUntrustedTokens: false,
  }
  /** As a request does it: what is known at once, else read. */
  const ask = async (signal = new AbortController().signal): Promise<BalanceItem[]> => {
    const { items, missing } = service.known(query)
    const { pending, later } = service.read({ ...query, chains: missing }, signal)
    return [...items, ...(await Promise.all([...pending, ...(await later)])).flat()]
  }
  return { world, provider, service, query, ask }
}

const totals = (items: readonly BalanceItem[]): unknown[] => items.map((item) => item.ok && item.priced.total)

it('prices that came too late for one request are in the next ones, though the balances are not read again', async () => {
  const { world, provider, service, query, ask } = stage(20)
  expect(totals(await ask())).toEqual([undefined])
  // Polls in between wait for nothing.
  const { items, freshness } = service.known(query)
  expect([totals(items), service.isFresh(freshness)]).toEqual([[undefined], true])
  provider.open()
  await sleep(10)
  world.now += 2_000
  expect(service.isFresh(freshness)).toBe(false)
  expect(totals(await ask())).toEqual([6])
  expect(service.isFresh(service.known(query).freshness)).toBe(true)
})

it('a reader that leaves while prices are on their way leaves no answer without them to others', async () => {
  const { provider, service, query, ask } = stage(5_000)
  const leaving = new AbortController()
  const left = ask(leaving.signal)
  await sleep(20)
  leaving.abort()
  await expect(left).rejects.toThrow()
  await sleep(5)
  expect(totals(service.known(query).items)).toEqual([])
  const others = ask()
  provider.open()
  expect(totals(await others)).toEqual([6])
})

it('the price of a token that came too late is in the next ones, also where that of the coin was there', async () => {
  const token = { address: '0x11', name: 'Token', symbol: 'TKN', decimals: 0, balance: 5n }
  const balances = () => evm(3n * 10n ** 18n, [token])
  const { world, provider, ask } = stage(20, { balances, coinsAtOnce: true })
  const values = (items: readonly BalanceItem[]) =>
    items.map((item) => item.ok && [item.priced.native.value, item.priced.tokens.get('0x11')?.value, item.priced.total])
  expect(values(await ask())).toEqual([[6, undefined, undefined]])
  provider.open()
  await sleep(10)
  world.now += 2_000
  expect(values(await ask())).toEqual([[6, 10, 16]])
})
