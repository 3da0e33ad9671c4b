import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSolanaBalanceSource, solanaLimits } from '../../../src/chains/solana/index.ts'
import { createSlotFloor } from '../../../src/chains/solana/slot-floor.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { createSolanaMethods } from '../../sandbox/solana/rpc.ts'
import { type SolanaChain, solanaGenesis, startSolanaChain } from '../../sandbox/solana-chain.ts'
import { balancesOf, errorOf, readContext, solanaNative } from '../../support/balance-reads.ts'
import { type FaultServer, type SeenCall, startFaultServer } from '../../support/fault-server.ts'
import { createPlainPool, type PlainPool } from '../../support/plain-pool.ts'

interface Answer {
  context: { slot: number }
  value: unknown
}
type Tamper = (answer: Answer, call: SeenCall) => unknown

let chain: SolanaChain
let server: FaultServer
let pool: PlainPool
/** Changes what the chain answers on its way to the reader. */
let tamper: Tamper

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The slots of these tests are made up, so the chain itself must not judge them. */
const plain = (params: unknown): never =>
  (params as unknown[]).map((one) => (isObject(one) ? { ...one, minContextSlot: undefined } : one)) as never

beforeAll(async () => {
  chain = await startSolanaChain()
})
afterAll(() => chain.close())
beforeEach(async () => {
  const methods = createSolanaMethods(chain.ledger, solanaGenesis.devnet)
  server = await startFaultServer({
    answer: (call) => {
      const answer = methods[call.method]?.(plain(call.params))
      return isObject(answer) ? tamper(answer as Answer, call) : answer
    },
  })
  pool = createPlainPool(server.url)
})
afterEach(async () => {
  await server.close()
  await pool.close()
})

const source = (over: PlainPool | UpstreamPool = pool) =>
  createSolanaBalanceSource({
    caip2Id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    native: solanaNative,
    pool: over,
    tokens: { tokens: () => [] },
    limits: solanaLimits,
  })

describe('a server that is behind what was told before', () => {
  const at = (slot: number, lamports?: bigint): Tamper => {
    const value = ({ value }: Answer, call: SeenCall) =>
      call.method === 'getMultipleAccounts' && lamports !== undefined
        ? (value as object[]).map((account) => ({ ...account, lamports }))
        : value
    return (answer, call) => ({ context: { slot }, value: value(answer, call) })
  }

  it('is asked again for a slot near that, and is an error when it stays there', async () => {
    const { alice } = chain.owners
    const wallets = source()
    const lamports = async () => (await wallets.readBalances([{ id: alice }], readContext())).get(alice)
    tamper = at(1_000)
    expect(balancesOf(await lamports()).native).toBe(2_500_000_000n)
    tamper = (answer, call) => {
      const asked = ((call.params as unknown[]).at(-1) as { minContextSlot?: number }).minContextSlot
      return at(asked ?? 900, asked === undefined ? 1n : undefined)(answer, call)
    }
    expect(balancesOf(await lamports()).native).toBe(2_500_000_000n)
    tamper = at(900, 1n)
    expect(errorOf(await lamports()).message).toContain('was answered at slot 900')
    tamper = at(1_000 - solanaLimits.maxSlotSpread, 1n)
    expect(balancesOf(await lamports()).native).toBe(1n)
  })
})

it('what was told of the newest slot is forgotten after a minute, as a network may be set back', () => {
  let now = 0
  const floor = createSlotFloor(() => now)
  expect(floor.slot()).toBe(0n)
  floor.saw(10n)
  floor.saw(7n)
  expect(floor.slot()).toBe(10n)
  now = 60_000
  expect(floor.slot()).toBe(0n)
  floor.saw(7n)
  expect(floor.slot()).toBe(7n)
})

describe('a server whose answer is none', () => {
  it.each([
    ['no context', (answer: Answer) => ({ value: answer.value })],
    ['no value', (answer: Answer) => ({ context: answer.context })],
    ['no list', (answer: Answer) => ({ ...answer, value: {} })],
    ['a slot with a fraction', (answer: Answer) => ({ ...answer, context: { slot: 1.5 } })],
  ])('does not keep the next one from being asked: %s', async (_, change) => {
    tamper = change
    const methods = createSolanaMethods(chain.ledger, solanaGenesis.devnet)
    const good = await startFaultServer({ answer: ({ method, params }) => methods[method]?.(params as never) })
    const two = createUpstreamPool('test', [{ url: server.url }, { url: good.url }], DEFAULT_LIMITS)
    onTestFinished(async () => {
      await two.close()
      await good.close()
    })
    const { alice } = chain.owners
    const found = await source(two).readBalances([{ id: alice }], readContext())
    expect(balancesOf(found.get(alice)).tokens.length).toBeGreaterThan(0)
    expect(server.stats.calls).toBeGreaterThan(0)
  })
})
