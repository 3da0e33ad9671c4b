import Fastify, { type FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { createAppCheck } from '../../../src/api/balance/app-check.ts'
import { balanceApi } from '../../../src/api/balance/index.ts'
import { installConnectionTracking } from '../../../src/api/plugins/connections.ts'
import type {
  BalanceSource,
  EvmBalances,
  NativeToken,
  NetworkType,
  Outcome,
  ReadContext,
} from '../../../src/chains/capabilities.ts'
import { type BalanceChain, createBalanceService } from '../../../src/services/balances/index.ts'
import type { Account, Balances } from '../../../src/services/balances/types.ts'
import type { StakeRewardsService } from '../../../src/services/stake-rewards/index.ts'

export const AVAX: NativeToken = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' }

export type Read = (accounts: readonly Account[], context: ReadContext) => Promise<Map<string, Outcome<Balances>>>

/** A chain whose answers a test decides; the network is the only thing replaced. */
export function scriptedChain(caip2Id: string, networkType: NetworkType, read: Read, cacheMs = 2_000): BalanceChain {
  const source: BalanceSource<Account, Balances> = { caip2Id, networkType, native: AVAX, readBalances: read }
  return { source, cacheMs }
}

export const evm = (native: bigint, tokens: EvmBalances['tokens'] = []): EvmBalances => ({
  native,
  tokens,
})

/** Every account of the read gets the same answer. */
export const answerAll =
  (balances: () => Balances): Read =>
  async (accounts) =>
    new Map(accounts.map(({ id }) => [id, { ok: true, value: balances() }]))

/** The same read, which remembers who asked for what and whether it was given up. */
export const counted = (read: Read) => {
  const calls: { ids: string[]; aborted: () => boolean }[] = []
  const counting: Read = (accounts, context) => {
    calls.push({ ids: accounts.map(({ id }) => id), aborted: () => context.signal.aborted })
    return read(accounts, context)
  }
  return { calls, counting }
}

export const evmItem = (addresses: string[], references: string[]) => ({ namespace: 'eip155', addresses, references })

/** A price book without a market, for tests that are not about prices. */
export const unpriced = {
  quote: async () => ({ get: () => undefined, unread: () => false }),
  status: () => ({ provider: 'none' as const, entries: 0 }),
  close: () => undefined,
}

export interface BalanceApiSetup {
  chains: readonly BalanceChain[]
  limits?: Partial<Parameters<typeof balanceApi>[1]['limits']>
  appCheck?: Partial<Parameters<typeof createAppCheck>[0]>
  deadlineMs?: number
  maxStaleMs?: number
  hrps?: () => readonly string[]
  hrpsToCome?: () => boolean
  stakeRewards?: StakeRewardsService
  now?: () => number
  /** Takes the lines of the log that tell of errors. */
  errorLog?: (line: string) => void
}

/** The balance API on a real server at 127.0.0.1, over scripted chains. */
export async function startBalanceApi(setup: BalanceApiSetup): Promise<{ url: string; app: FastifyInstance }> {
  const byId = new Map(setup.chains.map((chain) => [chain.source.caip2Id, chain]))
  const balances = createBalanceService({
    chainOf: (caip2Id) => byId.get(caip2Id),
    prices: unpriced,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs: setup.deadlineMs ?? 30_000,
    maxStaleMs: setup.maxStaleMs ?? 10_000,
    cacheEntries: 1_000,
    ...(setup.now ? { now: setup.now } : {}),
  })
  const app = Fastify(setup.errorLog ? { logger: { level: 'error', stream: { write: setup.errorLog } } } : {})
  installConnectionTracking(app, setup.limits?.shutdownGraceMs ?? 1_000)
  await app.register(balanceApi, {
    balances,
    appCheck: createAppCheck({ mode: 'off', tokens: [], appIds: [], ...setup.appCheck }),
    caip2Ids: () => [...byId.keys()],
    nativeOf: () => AVAX,
    hrps: setup.hrps ?? (() => ['avax', 'fuji']),
    ...(setup.hrpsToCome ? { hrpsToCome: setup.hrpsToCome } : {}),
    ...(setup.stakeRewards ? { stakeRewards: setup.stakeRewards } : {}),
    limits: {
      bodyLimitBytes: 16_777_216,
      keepAliveMs: 15_000,
      stalledReaderMs: 30_000,
      maxStreams: 100,
      shutdownGraceMs: 1_000,
      ...setup.limits,
    },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, app }
}

/** As `startBalanceApi`, until the end of the test. */
export async function serveBalances(setup: BalanceApiSetup): Promise<{ url: string; app: FastifyInstance }> {
  const started = await startBalanceApi(setup)
  onTestFinished(() => started.app.close())
  return started
}

export const post = (url: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/v1/balance/get-balances`, {
    method: 'POST',
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Items of a stream, read as the strictest known client does: LF only, complete events only. */
export function itemsOf(text: string): Record<string, unknown>[] {
  const events = text.split('\n\n')
  if (events.pop() !== '') throw new Error('the last event is not followed by a blank line')
  return events
    .filter((event) => !event.startsWith(':'))
    .map((event) => {
      if (!event.startsWith('data: ') || event.includes('\n') || event.includes('\r'))
        throw new Error(`bad event: ${event}`)
      return JSON.parse(event.slice(6)) as Record<string, unknown>
    })
}

/** A token, native or not, as an item shows it. */
export interface WireToken {
  address: string
  name: string
  symbol: string
  balance: string
  decimals: number
  internalId?: string
  logoUri?: string
  price?: number
  balanceInCurrency?: number
  scanResult?: string
  associatedTokenAddress?: string
}

/** An item of the stream, success or handled error, with the members of every family. */
export interface WireItem {
  caip2Id: string
  networkType: string
  id: string
  error: string | null
  currency: string
  balances: {
    nativeTokenBalance: WireToken & { unconfirmedBalance?: string; unconfirmedBalanceInCurrency?: number }
    totalBalanceInCurrency?: number
    erc20TokenBalances?: WireToken[]
    splTokenBalances?: WireToken[]
    // biome-ignore lint/suspicious/noExplicitAny: shaped differently by X, P and C
    categories?: any
  }
}

/** Asks and reads all items; fails when the answer is not a stream. */
export async function ask(url: string, body: unknown, init: RequestInit = {}): Promise<WireItem[]> {
  const response = await post(url, body, init)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  return itemsOf(text) as unknown as WireItem[]
}
