import { expect, it } from 'vitest'
import type { EvmBalances, ReadContext } from '../../../src/chains/capabilities.ts'
import { CancelledError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { nextTurn } from '../../../src/lib/waiting/next-turn.ts'
import { createAccountReader, type Freshness } from '../../../src/services/balances/account-reader.ts'
import type { ReadingOutcome } from '../../../src/services/balances/kept-readings.ts'
import type { Account, ChainQuery } from '../../../src/services/balances/types.ts'
import { scriptedChain } from '../../support/balances/balance-api.ts'
import { createRandom, type Random } from '../../support/generated/random.ts'

const SEEDS = Number(process.env['FIRN_TEST_SEEDS'] ?? 40)
const CACHE_MS = 100
const MAX_STALE_MS = 1_000
/** Two wallets that share an account, on devices of their own, and a stranger. */
const ASKED = [['a', 'x'], ['b', 'c', 'x'], ['x']]

/** Things that happen at a time of a made-up clock, one after the other. */
function timeline() {
  const todo: { at: number; run: () => void }[] = []
  const clock = { now: 1_000_000 }
  return {
    clock,
    in: (ms: number, run: () => void) => void todo.push({ at: clock.now + ms, run }),
    async play(): Promise<void> {
      for (let next = take(todo); next; next = take(todo)) {
        clock.now = Math.max(clock.now, next.at)
        next.run()
        await nextTurn()
      }
    },
  }
}

function take<T extends { at: number }>(todo: T[]): T | undefined {
  const first = todo.reduce((least, { at }, place) => (at < (todo[least]?.at ?? 0) ? place : least), 0)
  return todo.splice(first, 1)[0]
}

/** A chain that tells when it was looked at, and for whom, after a while; or fails, in part perhaps. */
function chainOn(time: ReturnType<typeof timeline>, random: Random, isFaulty: () => boolean) {
  const look = (accounts: readonly Account[], { signal }: ReadContext) =>
    new Promise<Map<string, ReadingOf>>((resolve, reject) => {
      const took = random.chance(0.25) ? random.below(600) : random.below(40)
      const fate = isFaulty() ? random.below(3) : 2
      const tokens = accounts.map(({ id }) => ({ address: id, name: '', symbol: '', decimals: 0, balance: 1n }))
      const value = { native: 0n, tokens }
      time.in(random.below(took + 1), () => {
        value.native = BigInt(time.clock.now)
      })
      signal.addEventListener('abort', () => reject(signal.reason))
      const down = new UpstreamUnavailableError('down')
      time.in(took, () => {
        if (fate === 0) return reject(down)
        const told = (): ReadingOf =>
          fate === 1 && random.chance(0.5) ? { ok: false, error: down } : { ok: true, value }
        resolve(new Map(accounts.map(({ id }) => [id, told()])))
      })
    })
  return scriptedChain('eip155:1', 'evm', look, CACHE_MS)
}
type ReadingOf = { ok: true; value: EvmBalances } | { ok: false; error: Error }

interface Question {
  asked: readonly string[]
  askedAt: number
}

/** The moment that was told of, and when. */
interface Told {
  moment: number
  by: number
}

it('whoever asks with whom, and leaves: what is told is of one moment, young enough and never older than what he was told, and read for him alone', async () => {
  let numbers = 0
  for (let seed = 1; seed <= SEEDS; seed++) numbers += await play(createRandom(seed))
  expect(numbers).toBeGreaterThan(100 * SEEDS)
}, 600_000)

async function play(random: Random): Promise<number> {
  const time = timeline()
  const trouble = { until: random.chance(0.6) ? time.clock.now + random.below(3_000) : 0 }
  const chain = chainOn(time, random, () => time.clock.now < trouble.until)
  const now = () => time.clock.now
  const reader = createAccountReader({ deadlineMs: 600_000, maxStaleMs: MAX_STALE_MS, cacheEntries: 100, now })
  const asking: Promise<void>[] = []
  let numbers = 0

  /** Coins move between the accounts all the time: what is told of two moments has some of them twice, or not at all. */
  const judge = ({ asked, askedAt }: Question, outcomes: ReadingOutcome[], before: Told | undefined): number => {
    const told = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.balances as EvmBalances] : []))
    if (told.length < asked.length) expect(trouble.until).toBeGreaterThan(0)
    const [first] = told
    if (!first) return before?.moment ?? 0
    for (const balances of told) expect(balances).toBe(first)
    expect(first.tokens.map(({ address }) => address).sort()).toEqual(asked)
    const moment = Number(first.native)
    expect(moment).toBeGreaterThanOrEqual(Math.max(before?.moment ?? 0, askedAt - MAX_STALE_MS))
    numbers += told.length
    return moment
  }
  for (const asked of ASKED) {
    const queryOf = (ids: readonly string[]): ChainQuery => ({
      caip2Id: 'eip155:1',
      networkType: 'evm',
      accounts: ids.map((id) => ({ id })),
    })
    let last: Told | undefined
    let kept: { balances: readonly unknown[]; freshness: Freshness } | undefined
    const ask = async (): Promise<void> => {
      const leaving = new AbortController()
      const askedAt = now()
      if (random.chance(0.2)) time.in(random.below(60), () => leaving.abort())
      const query = queryOf(random.chance(0.3) ? asked.toReversed() : asked)
      try {
        const outcomes = await reader.read(chain, query, leaving.signal)
        const moment = judge({ asked, askedAt }, outcomes, last && last.by <= askedAt ? last : undefined)
        if (moment >= (last?.moment ?? 0)) last = { moment, by: now() }
      } catch (error) {
        expect(error).toBeInstanceOf(CancelledError)
        expect(leaving.signal.aborted).toBe(true)
      }
    }
    const poll = (): void => {
      const fresh = reader.fresh(chain, queryOf(asked))
      if (kept && reader.isFresh(kept.freshness)) expect(fresh?.balances).toEqual(kept.balances)
      kept = fresh && { balances: fresh.balances, freshness: reader.freshness(fresh.until) }
      asking.push(ask())
    }
    for (let at = random.below(50); at < 3_000; at += 5 + random.below(150)) time.in(at, poll)
  }
  await time.play()
  await Promise.all(asking)
  return numbers
}
