import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { createSolanaBalanceSource } from '../../../src/chains/solana/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { createSolanaMethods } from '../../sandbox/solana/rpc.ts'
import { type SolanaChain, solanaGenesis, startSolanaChain } from '../../sandbox/solana-chain.ts'
import { solanaNative } from '../../support/balances/balance-reads.ts'
import { type FaultServer, type SeenCall, startFaultServer } from '../../support/upstream/fault-server.ts'
import { createPlainPool, type PlainPool } from '../../support/upstream/plain-pool.ts'

/** What a chain answers to a question about accounts. */
export interface Answer {
  context: { slot: number }
  value: unknown
}

export interface Call extends SeenCall {
  params: [unknown, { programId?: string }, { minContextSlot?: number }]
}

/** Changes what the chain answers on its way to the reader. */
export type Tamper = (answer: Answer, call: Call) => unknown

interface TamperedChain {
  readonly chain: SolanaChain
  readonly server: FaultServer
  readonly pool: PlainPool
  /** None before each test. */
  tamper: Tamper
  /** What the chain answers without being changed, to any question. */
  answer(call: SeenCall): unknown
  /** Reads balances from the server, or from others. */
  source(over?: PlainPool | UpstreamPool): ReturnType<typeof createSolanaBalanceSource>
  /** Reads from the server, and from a second one, which answers by itself, where that one gives no answer. */
  sourceOverTwo(answer?: (call: SeenCall) => unknown): Promise<ReturnType<typeof createSolanaBalanceSource>>
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The slots of these tests are made up, so the chain itself must not judge them. */
const withoutSlot = (params: unknown): never =>
  (params as unknown[]).map((one) => (isObject(one) ? { ...one, minContextSlot: undefined } : one)) as never

/** One chain for all tests of a file, behind a server of each test's own that changes its answers. */
export function useTamperedChain(): TamperedChain {
  let chain: SolanaChain
  let server: FaultServer
  let pool: PlainPool
  const stage: TamperedChain = {
    get chain() {
      return chain
    },
    get server() {
      return server
    },
    get pool() {
      return pool
    },
    tamper: (answer) => answer,
    answer: ({ method, params }) =>
      createSolanaMethods(chain.ledger, solanaGenesis.devnet)[method]?.(withoutSlot(params)),
    source: (over = pool) =>
      createSolanaBalanceSource({
        caip2Id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
        native: solanaNative,
        pool: over,
        tokens: { tokens: () => [] },
      }),
    async sourceOverTwo(answer = stage.answer) {
      const second = await startFaultServer({ answer })
      const two = createUpstreamPool('test', [{ url: server.url }, { url: second.url }], DEFAULT_LIMITS)
      onTestFinished(async () => {
        await two.close()
        await second.close()
      })
      return stage.source(two)
    },
  }
  beforeAll(async () => {
    chain = await startSolanaChain()
  })
  afterAll(() => chain.close())
  beforeEach(async () => {
    stage.tamper = (answer) => answer
    server = await startFaultServer({
      answer: (call) => {
        const answer = stage.answer(call)
        return isObject(answer) ? stage.tamper(answer as Answer, call as Call) : answer
      },
    })
    pool = createPlainPool(server.url)
  })
  afterEach(async () => {
    await server.close()
    await pool.close()
  })
  return stage
}
