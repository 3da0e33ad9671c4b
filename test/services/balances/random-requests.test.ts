import { expect, it } from 'vitest'
import type { EvmBalances, ReadContext } from '../../../src/chains/capabilities.ts'
import { UpstreamUnavailableError } from '../../../src/errors.ts'
import { nextTurn } from '../../../src/lib/waiting/next-turn.ts'
import {
  createAccountReader,
  type Freshness,
  type ReadingOutcome,
} from '../../../src/services/balances/account-reader.ts'
import type { Account } from '../../../src/services/balances/types.ts'
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

/** A chain that tells of each account when it was looked at, after a while, or fails; in part, perhaps. */
function chainOn(time: ReturnType<typeof timeline>, random: Random, isFaulty: () => boolean) {
  const look = (accounts: readonly Account[], { signal }: ReadContext) =>
    new Promise<Map<string, ReadingOf>>((resolve, reject) => {
      const took = random.chance(0.25) ? random.below(600) : random.below(40)
      const fate = isFaulty() ? random.below(3) : 2
      let native = 0n
      time.in(random.below(took + 1), () => {
        native = BigInt(time.clock.now)
      })
      signal.addEventListener('abort', () => reject(signal.reason))
      const down = new UpstreamUnavailableError('down')
      time.in(took, () => {
        if (fate === 0) return reject(down)
        const told = (): ReadingOf =>
          fate === 1 && random.chance(0.5) ? { ok: false, error: down } : { ok: true, value: { native, tokens: [] } }
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

interface Told {
  at: number
  /** When it was told. */
  by: number
}

it('whoever asks with whom, and leaves: what is told is his own, young enough, and never older than what he was told', async () => {
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

  const judge = ({ asked, askedAt }: Question, id: string, outcome: ReadingOutcome, before: Told | undefined): void => {
    if (!outcome.ok) {
      expect(trouble.until).toBeGreaterThan(0)
      return
    }
    const { balances, at, batch } = outcome.reading
    const own = asked.map((one) => `eip155:1|${one}`)
    expect([batch.filter((key) => !own.includes(key)), batch.includes(`eip155:1|${id}`)]).toEqual([[], true])
    expect((balances as EvmBalances).native).toBeGreaterThanOrEqual(BigInt(at))
    expect(at).toBeGreaterThanOrEqual(Math.max(before?.at ?? 0, askedAt - MAX_STALE_MS))
    numbers += 1
  }
  const ask = (asked: readonly string[], last: Map<string, Told>): void => {
    const leaving = new AbortController()
    const askedAt = now()
    const isLeaver = random.chance(0.2)
    if (isLeaver) time.in(random.below(60), () => leaving.abort())
    const accounts = (random.chance(0.3) ? asked.toReversed() : asked).map((id) => ({ id }))
    for (const { accounts: some, outcomes } of reader.read(chain, 'evm', accounts, leaving.signal)) {
      const told = Promise.resolve(outcomes).then(
        (all) =>
          some.forEach(({ id }, place) => {
            const outcome = all[place] as ReadingOutcome
            const before = last.get(id)
            judge({ asked, askedAt }, id, outcome, before && before.by <= askedAt ? before : undefined)
            if (outcome.ok && outcome.reading.at >= (before?.at ?? 0))
              last.set(id, { at: outcome.reading.at, by: now() })
          }),
        () => expect(leaving.signal.aborted).toBe(true),
      )
      asking.push(told)
    }
  }
  for (const asked of ASKED) {
    const last = new Map<string, Told>()
    let kept: { readings: readonly unknown[]; freshness: Freshness } | undefined
    const poll = (): void => {
      const fresh = reader.fresh(
        chain,
        'evm',
        asked.map((id) => ({ id })),
      )
      if (kept && reader.isFresh(kept.freshness)) expect(fresh?.readings).toEqual(kept.readings)
      kept = fresh && { readings: fresh.readings, freshness: reader.freshness(fresh.until) }
      ask(asked, last)
    }
    for (let at = random.below(50); at < 3_000; at += 5 + random.below(150)) time.in(at, poll)
  }
  await time.play()
  await Promise.all(asking)
  return numbers
}
