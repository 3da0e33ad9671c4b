import { expect, it, onTestFinished, vi } from 'vitest'
import { evmLimits, NATIVE_TOKEN, type ReadMethod } from '../../../../src/chains/evm/index.ts'
import { createBalanceSweep } from '../../../../src/chains/evm/sweep/balance-sweep.ts'
import { createLastingPairs } from '../../../../src/chains/evm/sweep/lasting-pairs.ts'
import { createUnreadableTokens } from '../../../../src/chains/evm/sweep/unreadable-tokens.ts'
import { turnsWhile } from '../../../support/waiting/turns.ts'

/** A chain on which nothing but the coin answers, at once. */
const codeless: ReadMethod = {
  name: 'without code',
  balances: async ({ owners, tokens }) => ({
    block: { number: 1n, fingerprint: 1n },
    done: tokens.length,
    amounts: tokens.flatMap((token, at) =>
      token === NATIVE_TOKEN ? owners.map((_, owner) => ({ token: at, owner, value: 7n })) : [],
    ),
    failed: tokens.flatMap((token, at) =>
      token === NATIVE_TOKEN ? [] : owners.map((_, owner) => ({ token: at, owner })),
    ),
    unasked: [],
    traits: [],
  }),
  calls: () => Promise.reject(new Error('not asked')),
}

it('a thousand and a half listed tokens without code, asked for fifty owners, hold nobody up', async () => {
  const address = (digit: string, at: number): string => `0x${digit.repeat(30)}${String(at).padStart(10, '0')}`
  const owners = Array.from({ length: 50 }, (_, at) => address('a', at))
  const tokens = [NATIVE_TOKEN, ...Array.from({ length: 1_500 }, (_, at) => address('b', at))]
  const unreadable = createUnreadableTokens(evmLimits.unreadableEntries, evmLimits.unreadableMs)
  const sweep = createBalanceSweep(codeless, evmLimits, unreadable)
  const context = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }
  const { value, turns } = await turnsWhile(() => sweep.read([{ owners, tokens }], context))
  // 75,000 pairs, which are gone through six times.
  expect(turns).toBeGreaterThan(50)
  expect([value.amounts.size, value.failed.length, value.errors.size]).toEqual([50, 75_000, 0])
  expect(unreadable.covers(tokens.at(-1) ?? '', owners)).toBe(true)
})

it('a token that answers for an owner of another rectangle is not taken for one that answers nobody', async () => {
  const token = `0x${'b'.repeat(40)}`
  const burned = Array.from({ length: 600 }, (_, at) => `0x${'a'.repeat(37)}${at + 100}`)
  const other = `0x${'c'.repeat(40)}`
  const reader: ReadMethod = {
    name: 'burning',
    balances: async ({ owners, tokens, gas }) => {
      const pairs = tokens.flatMap((_, at) => owners.map((_, owner) => ({ token: at, owner })))
      const isRead = ({ owner }: { owner: number }): boolean => owners[owner] === other
      const unread = pairs.filter((pair) => !isRead(pair))
      return {
        block: { number: 1n, fingerprint: 1n },
        done: tokens.length,
        amounts: pairs.filter(isRead).map((pair) => ({ ...pair, value: 7n })),
        failed: gas === evmLimits.retryTokenGas ? unread.slice(0, 1) : unread,
        unasked: gas === evmLimits.retryTokenGas ? unread.slice(1) : [],
        traits: [],
      }
    },
    calls: () => Promise.reject(new Error('not asked')),
  }
  const sweep = createBalanceSweep(reader, evmLimits, createUnreadableTokens(100, 1_000))
  const context = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }
  const wanted = [burned, [other]].map((owners) => ({ owners, tokens: [token] }))
  const { amounts, errors } = await sweep.read(wanted, context)
  expect(amounts.get(other)?.get(token)).toBe(7n)
  // Who could not be asked may have some.
  expect(errors.size).toBeGreaterThan(0)
})

it('pairs that are remembered end with their time, and the oldest with the room', () => {
  let now = 1_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void clock.mockRestore())
  const pairs = createLastingPairs(3, 100, 200)
  const known = () => ['a1', 'a2', 'b1', 'b2', 'c1'].filter(([token = '', owner = '']) => pairs.has(token, owner))
  pairs.add('a', '1')
  pairs.add('a', '2')
  pairs.add('a', '1')
  pairs.add('b', '1')
  expect(known()).toEqual(['a1', 'a2', 'b1'])
  pairs.add('b', '2')
  expect(known()).toEqual(['b1', 'b2'])
  pairs.add('c', '1')
  expect(known()).toEqual(['b1', 'b2', 'c1'])
  for (let owner = 0; owner < 9; owner++) pairs.add('d', String(owner))
  expect(known()).toEqual([])
  expect([...'0123456789'].filter((owner) => pairs.has('d', owner))).toEqual(['6', '7', '8'])
  now += 99
  // Who comes again within the time does not last longer for it.
  pairs.add('d', '8')
  expect(pairs.has('d', '8')).toBe(true)
  now += 1
  expect(pairs.has('d', '8')).toBe(false)
  pairs.add('d', '8')
  now += 199
  expect(pairs.has('d', '8')).toBe(true)
  now += 1
  expect(pairs.has('d', '8')).toBe(false)
  // Long after that it is not known for failing: once more the first time.
  now += 200
  pairs.add('d', '8')
  now += 99
  expect(pairs.has('d', '8')).toBe(true)
  now += 1
  expect(pairs.has('d', '8')).toBe(false)
})

it('what is put off for a read of several owners comes back in a quarter of the time, for others at once', async () => {
  let now = 1_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void clock.mockRestore())
  const unreadable = createUnreadableTokens(10, 400)
  unreadable.putOff('a', '1', ['1', '2'])
  const isPutOff = async (ms: number, owners: readonly string[]): Promise<boolean> => {
    now = 1_000 + ms
    // Caches look at their clock once in a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5))
    return unreadable.has('a', '1', owners)
  }
  expect(await isPutOff(99, ['1', '3'])).toBe(false)
  expect([await isPutOff(99, ['1', '2']), await isPutOff(102, ['1', '2'])]).toEqual([true, false])
})
