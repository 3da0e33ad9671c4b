import { isDeepStrictEqual } from 'node:util'
import Fastify from 'fastify'
import { createAppCheck } from '../../../../src/api/balance/app-check.ts'
import { balanceApi } from '../../../../src/api/balance/index.ts'
import { installConnectionTracking } from '../../../../src/api/plugins/connections.ts'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import type { BalanceChain } from '../../../../src/services/balances/index.ts'
import { createBalanceService } from '../../../../src/services/balances/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../../src/upstream/index.ts'
import { type LedgerCall, type LedgerNode, startLedgerNode } from '../../../chains/avalanche/ledger-node.ts'
import { itemsOf, post, type WireItem } from '../../../support/balances/balance-api.ts'
import type { Random } from '../../../support/generated/random.ts'
import { expectedBalances } from './expected.ts'
import { fixedPrices, PRICES } from './fixed-prices.ts'
import { PLAIN } from './holders.ts'
import { type AskedWallet, askSomething, type Question, walletKey } from './questions.ts'
import { type Coin, coinOf, fillMemories, ledgerOf, MEMORIES, makeWorld, NOW, type World } from './world.ts'

const CACHE_MS = 2_000
const MAX_STALE_MS = 10_000
const SIDES = ['mainnet', 'testnet'] as const
type SideName = (typeof SIDES)[number]

interface Version {
  world: World
  /** Milliseconds of the service's clock from which it was so. */
  from: number
}

interface Table {
  random: Random
  url: string
  nodes: Record<SideName, LedgerNode>
  versions: Record<SideName, Version[]>
  /** Questions of earlier rounds: wallets ask again and again. */
  polled: Question[]
  /** Moves the service's clock on. */
  clock: { now: number }
  /** Nodes refuse, or take too long, at times: then accounts may be errors. */
  faulty: boolean
}

/** How many items were compared, by what they were. */
export interface Tally {
  worlds: number
  requests: number
  numbers: number
  errors: number
  aborted: number
}

/** One made-up pair of networks behind a real server, and a few rounds of requests that share its caches and reads. */
export async function playAvalanche(random: Random, tally: Tally): Promise<void> {
  const large = random.chance(0.15)
  const worlds = { mainnet: makeWorld(random, large), testnet: makeWorld(random, large) }
  const nodes = {
    mainnet: await startLedgerNode(ledgerOf(worlds.mainnet, 'avax', 1)),
    testnet: await startLedgerNode(ledgerOf(worlds.testnet, 'fuji', 5)),
  }
  const clock = { now: 1_000_000 }
  const faulty = random.chance(0.35)
  const pools = SIDES.map((side) =>
    createUpstreamPool(side, [{ url: nodes[side].url }], {
      ...DEFAULT_LIMITS,
      requestsPerSecond: 10_000,
      hedgeMinMs: 0,
      maxAttempts: random.pick([1, 2]),
    }),
  )
  const chains = SIDES.flatMap((side, at) => chainsOf(side, pools[at] as (typeof pools)[number]))
  const { app, url } = await startApi(chains, clock, faulty ? random.pick([80, 250]) : 20_000)
  const versions = {
    mainnet: [{ world: worlds.mainnet, from: 0 }],
    testnet: [{ world: worlds.testnet, from: 0 }],
  }
  try {
    const table: Table = { random, url, nodes, versions, polled: [], clock, faulty }
    for (let round = random.between(2, 6); round > 0; round--) {
      makeTrouble(table)
      await playRound(table, large, tally)
      moveOn(table)
    }
    tally.worlds += 1
  } finally {
    for (const side of SIDES) nodes[side].before = () => undefined
    await app.close()
    for (const pool of pools) await pool.close()
    for (const side of SIDES) await nodes[side].close()
  }
}

function chainsOf(side: SideName, pool: ReturnType<typeof createUpstreamPool>): BalanceChain[] {
  const network = createAvalancheNetwork({ pool })
  const keys = createKeyScanner({ network })
  const deps = { network, keys, now: () => NOW }
  const { P, X, C } = AVALANCHE_CAIP2[side]
  return [
    createPvmBalanceSource({ ...deps, caip2Id: P }),
    createAvmBalanceSource({ ...deps, caip2Id: X }),
    createCorethBalanceSource({ ...deps, caip2Id: C }),
  ].map((source) => ({ source: source as BalanceChain['source'], cacheMs: CACHE_MS }))
}

async function startApi(chains: readonly BalanceChain[], clock: { now: number }, deadlineMs: number) {
  const byId = new Map(chains.map((chain) => [chain.source.caip2Id, chain]))
  const nativeOf = (caip2Id: string) => (byId.get(caip2Id) as BalanceChain).source.native
  const balances = createBalanceService({
    chainOf: (caip2Id) => byId.get(caip2Id),
    prices: fixedPrices,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs,
    maxStaleMs: MAX_STALE_MS,
    cacheEntries: 1_000,
    now: () => clock.now,
  })
  const app = Fastify()
  installConnectionTracking(app, 10)
  const limits = {
    bodyLimitBytes: 16_777_216,
    keepAliveMs: 15_000,
    stalledReaderMs: 30_000,
    maxStreams: 100,
    shutdownGraceMs: 10,
  }
  const appCheck = createAppCheck({ mode: 'off', tokens: [], appIds: [] })
  const options = {
    balances,
    appCheck,
    caip2Ids: () => [...byId.keys()],
    nativeOf,
    hrps: () => ['avax', 'fuji'],
    limits,
  }
  await app.register(balanceApi, options)
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

const REFUSALS = ['internal error', 'missing trie node', 'the node has lost something', 'rate limit exceeded']

/** What the nodes do in the next round. */
function makeTrouble({ random, nodes, faulty }: Table): void {
  for (const side of SIDES) {
    const share = faulty && random.chance(0.7) ? random.pick([0.02, 0.2, 1, 1]) : 0
    const refusal = random.pick(REFUSALS)
    const slow = random.chance(0.5) ? 3 : 0
    const hanging = faulty && random.chance(0.1)
    nodes[side].before = (async (_call: LedgerCall) => {
      if (slow > 0) await wait(random.below(slow))
      if (hanging && random.chance(0.1)) await wait(400)
      return random.chance(share) ? { code: -32_000, message: refusal } : undefined
    }) as LedgerNode['before']
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function playRound(table: Table, large: boolean, tally: Tally): Promise<void> {
  const { random, polled } = table
  const asked = random.list(random.between(1, 3), () => askSomething(random, large))
  if (polled.length > 0) asked.push(random.pick(polled))
  // Some ask for what another asks for in the same moment, and one may leave.
  const twin = random.chance(0.5) ? asked.push(asked[0] as Question) - 1 : -1
  const leaver = asked.length > 1 && random.chance(0.4) ? (twin > 0 ? twin : random.below(asked.length)) : -1
  polled.push(asked[0] as Question)
  await Promise.all(
    asked.map(async (question, index) => {
      if (random.chance(0.3)) await wait(random.below(6))
      if (index === leaver) {
        await leaveEarly(table.url, question, random.below(12))
        tally.aborted += 1
        return
      }
      const response = await post(table.url, question.body)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status}: ${text} for ${JSON.stringify(question.body)}`)
      checkAnswer(table, question, itemsOf(text) as unknown as WireItem[], tally)
      tally.requests += 1
    }),
  )
}

async function leaveEarly(url: string, question: Question, afterMs: number): Promise<void> {
  const controller = new AbortController()
  const leaving = wait(afterMs).then(() => controller.abort())
  await post(url, question.body, { signal: controller.signal }).then(
    (response) => response.text().catch(() => ''),
    () => '',
  )
  await leaving
}

/** Every asked wallet once, every number right, and those of a chain of one moment: coins move between wallets, too. */
function checkAnswer(table: Table, { body, wallets }: Question, items: readonly WireItem[], tally: Tally): void {
  const left = new Set(wallets.keys())
  const moments = new Map<string, World[]>()
  const wrong = (what: string, item: unknown, expected?: unknown): never => {
    throw new Error(`${what}\n${JSON.stringify({ item, expected }, null, 1)}\nasked: ${JSON.stringify(body)}`)
  }
  for (const item of items) {
    const wallet = wallets.get(walletKey(item.caip2Id, item.id))
    if (!wallet || !left.delete(walletKey(item.caip2Id, item.id))) throw wrong('not asked, or answered twice', item)
    if (item.error !== null) {
      tally.errors += 1
      if (item.balances !== null || !(wallet.broken || table.faulty)) wrong('an error without a cause', item)
      continue
    }
    if (wallet.broken) wrong('a number without all addresses', item)
    const { nativeTokenBalance, categories } = item.balances
    const got = { native: nativeTokenBalance.balance, categories }
    const expectedIn = (world: World) => expectedBalances(world, wallet.chain, wallet.owned, wallet.dustOut)
    const allowed = possibleAt(table, wallet)
    const fitting = allowed.filter((world) => isDeepStrictEqual(got, expectedIn(world)))
    if (fitting.length === 0) wrong('wrong numbers', { item: [item.caip2Id, item.id], got }, allowed.map(expectedIn))
    const together = (moments.get(item.caip2Id) ?? fitting).filter((world) => fitting.includes(world))
    if (together.length === 0) wrong('numbers of another moment than those of the wallets before', item)
    moments.set(item.caip2Id, together)
    checkFiat(item, body.currency ?? 'usd', wrong)
    tally.numbers += 1
  }
  if (left.size > 0) wrong(`never answered: ${[...left].join(', ')}`, items.length)
}

/** What may be told now: the present, what is cached, and where nodes fail, what is not too old. */
function possibleAt({ versions, clock, faulty }: Table, { side }: AskedWallet): World[] {
  const list = versions[side]
  const oldest = clock.now - (faulty ? MAX_STALE_MS : CACHE_MS - 1)
  return list.filter((_, at) => (list[at + 1]?.from ?? Number.POSITIVE_INFINITY) >= oldest).map(({ world }) => world)
}

function checkFiat(item: WireItem, currency: string, wrong: (what: string, item: unknown) => never): void {
  const { nativeTokenBalance: native, totalBalanceInCurrency: total } = item.balances
  const price = PRICES[currency as keyof typeof PRICES]
  const value = (Number(BigInt(native.balance) / 1_000n) / 1e6) * price
  const near = (a: number | undefined): boolean => a !== undefined && Math.abs(a - value) <= 1e-9 * value + 1e-6 * price
  if (item.currency !== currency || native.price !== price || native.decimals !== 9) wrong('wrong price', item)
  if (!near(native.balanceInCurrency) || native.balanceInCurrency !== total) wrong('wrong value', item)
}

/** Coins are spent and made on one of the networks, and time passes. */
function moveOn(table: Table): void {
  if (table.random.chance(0.7)) moveCoins(table)
  table.clock.now += table.random.pick([0, 500, 1_999, 2_000, 2_001, 5_000, 9_999, 10_000, 10_001])
}

function moveCoins({ random, clock, nodes, versions }: Table): void {
  const side = random.pick(SIDES)
  const before = (versions[side].at(-1) as Version).world
  const coins = new Map(before.coins)
  for (const memory of random.some(MEMORIES, 4)) {
    const left = (coins.get(memory) ?? []).filter((coin) => !(isPlain(coin) && random.chance(0.3)))
    coins.set(memory, [...left, ...random.list(6, () => coinOf(random, memory))])
  }
  const world = { ...before, coins }
  versions[side].push({ world, from: clock.now })
  const { ledger } = nodes[side]
  fillMemories(ledger, world)
  for (const chain of ['P', 'X', 'C'] as const) ledger.heights[chain] += 1
  nodes[side].reindex()
}

/** No key needs it to be found. */
const isPlain = ({ owners }: Coin): boolean => owners.every((one) => PLAIN.includes(one))
