import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { MOST_AGAIN } from '../../../src/chains/solana/wallets.ts'
import { encodeBase58 } from '../../../src/lib/bytes/base58.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { balancesOf, readContext } from '../../support/balances/balance-reads.ts'
import { type Answer, type Call, useTamperedChain } from './tampered-chain.ts'

const stage = useTamperedChain()

const BEFORE = 1_000
/** For one reading, by a clock that only the test moves on by more than seconds. */
const TIME_MS = 600_000
const LAMPORTS = { before: 9n, after: 4n }

/**
 * Alice wraps lamports from one slot to the next, and the server goes on to that one behind the lamports of so many rounds;
 * reads her as the API does.
 */
async function readAlice(splitRounds: number, over: { takesMs?: number; broken?: boolean } = {}) {
  const { alice } = stage.chain.owners
  const pool = createUpstreamPool('test', [{ url: stage.server.url }], DEFAULT_LIMITS)
  onTestFinished(() => pool.close())
  let rounds = 0
  stage.tamper = (answer: Answer, { method, params: [asked] }: Call) => {
    const asksOwner = Array.isArray(asked) && asked.includes(alice)
    if (asksOwner) rounds += 1
    if (asksOwner && rounds === 1 && over.takesMs) vi.setSystemTime(Date.now() + over.takesMs)
    if (over.broken && asksOwner && rounds > 1) return { context: { slot: BEFORE + 1 }, value: 'no list' }
    const slot = asksOwner && rounds <= splitRounds ? BEFORE : BEFORE + 1
    if (!asksOwner || method !== 'getMultipleAccounts') return { ...answer, context: { slot } }
    const lamports = slot === BEFORE ? LAMPORTS.before : LAMPORTS.after
    return { context: { slot }, value: (answer.value as object[]).map((account) => ({ ...account, lamports })) }
  }
  const found = await stage.source(pool).readBalances([{ id: alice }], readContext({ deadline: Date.now() + TIME_MS }))
  const { native, tokens } = balancesOf(found.get(alice))
  return { native, tokens: tokens.length, rounds }
}

it('lamports of one slot are not put beside tokens of the next one', async () => {
  expect(await readAlice(0)).toMatchObject({ native: LAMPORTS.after, rounds: 1 })
  const { native, tokens, rounds } = await readAlice(1)
  expect([native, rounds]).toEqual([LAMPORTS.after, 2])
  expect(tokens).toBeGreaterThan(0)
})

it('a server that goes on in each round is asked twice', async () => {
  expect(await readAlice(Number.POSITIVE_INFINITY)).toMatchObject({ native: LAMPORTS.before, rounds: 2 })
})

it('what is there stays where the next round has no answer, and where there is no time for one', async () => {
  expect(await readAlice(1, { broken: true })).toMatchObject({ native: LAMPORTS.before })
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  // The next round would take as long.
  expect(await readAlice(1, { takesMs: 0.6 * TIME_MS })).toMatchObject({ native: LAMPORTS.before, rounds: 1 })
  expect(await readAlice(1, { takesMs: 0.4 * TIME_MS })).toMatchObject({ native: LAMPORTS.after, rounds: 2 })
})

/** How often so many owners are asked for at a server that answers each call from a slot of its own. */
async function readFromOwnSlots(owners: number): Promise<number> {
  const ids = Array.from({ length: owners }, () => encodeBase58(randomBytes(32)))
  let slot = BEFORE
  let rounds = 0
  stage.tamper = (answer: Answer, { params: [asked] }: Call) => {
    if (Array.isArray(asked) && asked.includes(ids[0])) rounds += 1
    slot += 1
    return { ...answer, context: { slot } }
  }
  const pool = createUpstreamPool('test', [{ url: stage.server.url }], DEFAULT_LIMITS)
  onTestFinished(() => pool.close())
  const found = await stage.source(pool).readBalances(
    ids.map((id) => ({ id })),
    readContext(),
  )
  for (const id of ids) expect(balancesOf(found.get(id)).native).toBe(0n)
  return rounds
}

it('many owners are not asked for again: the server answers each call from a slot of its own', async () => {
  expect(await readFromOwnSlots(MOST_AGAIN)).toBe(2)
  expect(await readFromOwnSlots(MOST_AGAIN + 1)).toBe(1)
})
