import { afterEach, expect, it, vi } from 'vitest'
import type { EvmBalances, Outcome, ReadContext } from '../../../src/chains/capabilities.ts'
import { CancelledError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { nextTurn } from '../../../src/lib/waiting/next-turn.ts'
import { createAccountReader } from '../../../src/services/balances/account-reader.ts'
import type { Account, BalanceChain, ChainQuery } from '../../../src/services/balances/types.ts'
import { gate } from '../../support/waiting/gate.ts'

const CACHE_MS = 1_000
const address = (digit: string): string => `0x${digit.repeat(40)}`
const [A, B, C] = ['a', 'b', 'c'].map(address) as [string, string, string]
const queryOf = (ids: readonly string[]): ChainQuery => ({
  caip2Id: 'eip155:1',
  networkType: 'evm',
  accounts: ids.map((id) => ({ id })),
})

/** Time, deadlines included, goes on only by what is returned here: milliseconds that pass. */
function stopTime(): (ms: number) => void {
  let now = Math.round(performance.now())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 0, active: 0, utilization: 0 })
  return (ms) => {
    now += ms
    vi.advanceTimersByTime(ms)
  }
}
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A chain that says of each account how many were read with it, and of how many reads this is. */
function stage({ deadlineMs = 5_000, isTimed = false } = {}) {
  const world = { now: 1_000_000, isDown: false, until: Promise.resolve(), silent: '' }
  const reads: string[][] = []
  const chain: BalanceChain = {
    cacheMs: CACHE_MS,
    source: {
      caip2Id: 'eip155:1',
      networkType: 'evm',
      native: { name: 'Ether', symbol: 'ETH', decimals: 18, internalId: 'NATIVE-eth' },
      readBalances: async (accounts: readonly Account[], { signal }: ReadContext) => {
        reads.push(accounts.map(({ id }) => id))
        const value = { native: BigInt(accounts.length), tokens: [] }
        if (world.isDown) throw new UpstreamUnavailableError('nobody answers')
        const { silent } = world
        await (silent === '' ? world.until : new Promise((resolve) => signal.addEventListener('abort', resolve)))
        return new Map(
          accounts.map(({ id }): [string, Outcome<EvmBalances>] => [
            id,
            id === silent ? { ok: false, error: new CancelledError() } : { ok: true, value },
          ]),
        )
      },
    },
  }
  const reader = createAccountReader({
    deadlineMs,
    maxStaleMs: 60_000,
    cacheEntries: 100,
    now: () => (isTimed ? performance.now() : world.now),
  })
  const ask = async (...ids: string[]): Promise<(bigint | string)[]> => {
    const outcomes = await reader.read(chain, queryOf(ids), new AbortController().signal)
    return outcomes.map((outcome) => (outcome.ok ? (outcome.balances as EvmBalances).native : outcome.error.message))
  }
  const isFresh = (...ids: string[]): boolean => reader.fresh(chain, queryOf(ids)) !== undefined
  return { world, reads, ask, isFresh }
}

it('what was read with others answers nobody who did not ask for all of it', async () => {
  const { reads, ask, isFresh } = stage()
  expect(await ask(A, B)).toEqual([2n, 2n])
  expect([isFresh(A), isFresh(A, C), isFresh(A, B), isFresh(C, B, A)]).toEqual([false, false, true, false])
  expect(await ask(A)).toEqual([1n])
  expect(await ask(B, C)).toEqual([2n, 2n])
  expect(reads).toEqual([[A, B], [A], [B, C]])
})

it('what was read of some is read again with the others, since coins may have moved between them', async () => {
  const { world, reads, ask, isFresh } = stage()
  await ask(A)
  expect(await ask(A, B)).toEqual([2n, 2n])
  expect(await ask(B, A.toUpperCase().replace('0X', '0x'), B)).toEqual([2n, 2n, 2n])
  expect([isFresh(B, A), isFresh(A)]).toEqual([true, true])
  expect(reads).toEqual([[A], [A, B]])
  const held = gate()
  world.now += CACHE_MS
  world.until = held.opened
  const both = [ask(A), ask(B, A)]
  held.open()
  expect(await Promise.all(both)).toEqual([[1n], [2n, 2n]])
  expect(reads.slice(2)).toEqual([[A], [B, A]])
})

it('nobody waits for the others with whom a stranger reads his account', async () => {
  const { world, reads, ask } = stage()
  const held = gate()
  world.until = held.opened
  const stranger = ask(A, B, C)
  const again = ask(A, B, C)
  world.until = Promise.resolve()
  expect(await ask(A)).toEqual([1n])
  held.open()
  expect(await stranger).toEqual([3n, 3n, 3n])
  expect(await again).toEqual([3n, 3n, 3n])
  expect(reads).toEqual([[A, B, C], [A]])
})

it('what was read with others does not stand in for a failed read of one account alone', async () => {
  const { world, ask } = stage()
  await ask(A, B)
  world.now += CACHE_MS
  world.isDown = true
  expect(await ask(A)).toEqual(['nobody answers'])
  expect(await ask(A, B)).toEqual([2n, 2n])
})

it('whatever a stranger reads it with, the last good answer of one alone stands in when a read fails', async () => {
  const { world, ask } = stage()
  await ask(A)
  world.now += CACHE_MS
  await ask(A, B)
  world.now += CACHE_MS
  world.isDown = true
  expect([await ask(A), await ask(B, A), await ask(B)]).toEqual([[1n], [2n, 2n], ['nobody answers']])
})

it('strangers do not take away what stands in for accounts that are asked for together', async () => {
  const { world, ask } = stage()
  await ask(A, B)
  world.now += CACHE_MS
  for (const stranger of ['d', 'e', 'f'].map(address)) await ask(A, B, stranger)
  world.now += CACHE_MS
  world.isDown = true
  expect([await ask(B, A), await ask(A, B, address('d'))]).toEqual([
    [2n, 2n],
    [3n, 3n, 3n],
  ])
})

it('a read that ends behind that of a stranger is told all the same, and not what was read alone long before', async () => {
  const { world, ask } = stage()
  await ask(A)
  world.now += 10 * CACHE_MS
  const held = gate()
  world.until = held.opened
  const own = ask(A, B)
  world.until = Promise.resolve()
  world.now += 1
  expect(await ask(A, C)).toEqual([2n, 2n])
  held.open()
  expect(await own).toEqual([2n, 2n])
})

it('who comes late to a read that ends with its time has his own time, and who came early has not', async () => {
  const pass = stopTime()
  const { world, reads, ask } = stage({ deadlineMs: 1_000, isTimed: true })
  world.until = new Promise(() => {})
  const first = ask(A)
  pass(250)
  const early = ask(A)
  pass(500)
  const late = ask(A)
  const silent = ask(A)
  world.until = Promise.resolve()
  pass(250)
  expect([...(await first), ...(await early)]).toEqual(Array(2).fill('timed out after 1000 ms'))
  expect([...(await late), ...(await silent)]).toEqual([1n, 1n])
  expect(reads).toEqual([[A], [A]])
})

it('who comes late to a read that ends with its time is told of one reading, his own', async () => {
  const pass = stopTime()
  const { world, reads, ask } = stage({ deadlineMs: 1_000, isTimed: true })
  world.silent = A
  const first = ask(A, B)
  pass(750)
  const late = ask(A, B)
  world.silent = ''
  pass(250)
  expect(await first).toEqual(['timed out after 1000 ms', 2n])
  expect(await late).toEqual([2n, 2n])
  expect(reads).toEqual([
    [A, B],
    [A, B],
  ])
})

it('the read that a late reader begins after the first ran out of time has no more time than he had when he came', async () => {
  const pass = stopTime()
  const { world, reads, ask } = stage({ deadlineMs: 1_000, isTimed: true })
  world.until = new Promise(() => {})
  void ask(A)
  pass(700)
  let told: unknown
  const late = ask(A).then((said) => {
    told = said
  })
  pass(300)
  while (reads.length < 2) await nextTurn()
  expect(reads).toEqual([[A], [A]])
  pass(699)
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  expect(told).toBeUndefined()
  pass(1)
  await late
  expect(told).toEqual(['timed out after 700 ms'])
})

it('who comes late to a read that takes more than its time reads once more, and not for ever', async () => {
  const pass = stopTime()
  const { world, reads, ask } = stage({ deadlineMs: 1_000 })
  world.until = new Promise(() => {})
  const first = ask(A)
  world.now += 750
  const late = ask(A)
  // The machine was stopped meanwhile.
  world.now += 5_000
  pass(1_000)
  expect(await first).toEqual(['timed out after 1000 ms'])
  while (reads.length < 2) await nextTurn()
  world.until = Promise.resolve()
  expect(await late).toEqual([expect.stringContaining('timed out')])
  expect(reads.length).toBe(2)
})
