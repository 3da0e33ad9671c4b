import { encodeDeployData, encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEvmBalanceSource } from '../../../src/chains/evm/index.ts'
import type { PriceBook } from '../../../src/market/index.ts'
import { type BalanceChain, createBalanceService, type PricedBalances } from '../../../src/services/balances/index.ts'
import { type Anvil, startAnvil } from '../../support/evm/anvil.ts'
import { compileSolidity } from '../../support/evm/solidity.ts'
import { createRpcPool, type RpcPool } from '../../support/upstream/rpc-pool.ts'

const ONE = 10n ** 18n
const caip2Id = 'eip155:31337'
const scaled = compileSolidity('Scaled.sol').ScaledToken
let anvil: Anvil
let pool: RpcPool
let token = ''

const send = (functionName: string, args: unknown[]) =>
  anvil.send({ to: token, data: encodeFunctionData({ abi: scaled?.abi ?? [], functionName, args }) })

beforeAll(async () => {
  if (!scaled) throw new Error('no contract')
  anvil = await startAnvil()
  pool = createRpcPool(anvil.url)
  token = (await anvil.send({ data: encodeDeployData(scaled) })).contractAddress.toLowerCase()
  await send('mint', [anvil.accounts[1], 3n * ONE])
})
afterAll(async () => {
  await pool.close()
  await anvil.stop()
})

/** A market with the price of one share; the 10,000 coins of an account are worth 100. */
const market = (price: () => number): PriceBook => ({
  quote: async () => ({
    get: (key) => ('internalId' in key ? { price: 0.01 } : { price: price() }),
    unread: () => false,
  }),
  status: () => ({ provider: 'none', entries: 0 }),
  close: () => undefined,
})

function wallet(prices: PriceBook, scaledUnit: 'shown' | 'held') {
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18, internalId: 'NATIVE-coin' }
  const known = [{ address: token, name: 'Share', symbol: 'SHR', decimals: 18 }]
  const source = createEvmBalanceSource({ caip2Id, native, pool, tokens: { tokens: () => known } })
  const chain = { source, cacheMs: 0 } as BalanceChain
  const judge = { judge: () => ({ trusted: true }), trustsUnlisted: () => false }
  const limits = { deadlineMs: 8_000, maxStaleMs: 60_000, cacheEntries: 100 }
  const service = createBalanceService({ chainOf: () => chain, prices, judge, scaledUnit, ...limits })
  return async () => {
    const accounts = [{ id: anvil.accounts[1] as string }]
    const query = { chains: [{ caip2Id, networkType: 'evm' as const, accounts }], currency: 'usd' as const }
    const { pending, later } = service.read({ ...query, showUntrustedTokens: true }, new AbortController().signal)
    const items = (await Promise.all([...pending, ...(await later)])).flat()
    const [item] = items
    if (!item?.ok) throw new Error(item?.message)
    return seen(item.priced)
  }
}

const seen = ({ balances, tokens, total }: PricedBalances) => {
  const held = (balances as { tokens: { balance: bigint }[] }).tokens
  return { balance: held[0]?.balance, ...tokens.get(token), total }
}

it('a split of ten for one changes neither balance nor worth of who polls meanwhile', async () => {
  let share = 500
  const poll = wallet(
    market(() => share),
    'shown',
  )
  const whole = { balance: 3n * ONE, price: 500, value: 1_500, total: 1_600 }
  expect(await poll()).toEqual(whole)
  await send('schedule', [10n * ONE, 0n])
  share = 50
  expect(await poll()).toEqual(whole)
})

it('where prices are of what is held the multiplier is nobody’s business', async () => {
  const poll = wallet(
    market(() => 500),
    'held',
  )
  await send('schedule', [10n * ONE, 0n])
  expect(await poll()).toMatchObject({ price: 500, value: 1_500, total: 1_600 })
})

it('there is neither price nor value nor total while nobody knows the multiplier', async () => {
  const poll = wallet(
    market(() => 50),
    'shown',
  )
  await send('schedule', [10n * ONE, 0n])
  expect(await poll()).toMatchObject({ value: 1_500 })
  await send('schedule', [0n, 0n])
  expect(await poll()).toEqual({ balance: 3n * ONE, total: undefined })
  await send('schedule', [10n * ONE, 0n])
  expect(await poll()).toMatchObject({ value: 1_500 })
})
