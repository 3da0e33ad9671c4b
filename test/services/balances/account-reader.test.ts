import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import type { EvmBalances, Outcome, ReadContext } from '../../../src/chains/capabilities.ts'
import { BadInputError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createAccountReader } from '../../../src/services/balances/account-reader.ts'
import type { Account, BalanceChain, ChainQuery } from '../../../src/services/balances/types.ts'
import { gate } from '../../support/waiting/gate.ts'

const MAX_STALE_MS = 60_000
const CACHE_MS = 200
const id = `0x${'ab'.repeat(20)}`
const queryOf = (...ids: string[]): ChainQuery => ({
  caip2Id: 'eip155:1',
  networkType: 'evm',
  accounts: ids.map((one) => ({ id: one })),
})

type Answer = Outcome<EvmBalances>
const holding = (native: bigint): Answer => ({ ok: true, value: { native, tokens: [] } })
const down: Answer = { ok: false, error: new UpstreamUnavailableError('nobody answers') }

afterEach(() => void vi.restoreAllMocks())

/** A reader of one account, whose clock and chain the test moves; with `wall`, the clock is the machine's. */
function stage({ wall = false } = {}) {
  const world = {
    now: 1_000_000,
    reads: 0,
    isFull: false,
    /** Accounts that fail where the read does not. */
    failing: [] as string[],
    clients: undefined as ReadContext['clients'],
    next: (): Answer | Promise<Answer> => holding(7n),
  }
  const chain: BalanceChain = {
    cacheMs: CACHE_MS,
    source: {
      caip2Id: 'eip155:1',
      networkType: 'evm',
      native: { name: 'Ether', symbol: 'ETH', decimals: 18, internalId: 'NATIVE-eth' },
      readBalances: async (accounts: readonly Account[], { clients }: Pick<ReadContext, 'clients'>) => {
        world.reads += 1
        world.clients = clients
        const answer = await world.next()
        return new Map(accounts.map((account) => [account.id, world.failing.includes(account.id) ? down : answer]))
      },
    },
  }
  const reader = createAccountReader({
    deadlineMs: 5_000,
    maxStaleMs: MAX_STALE_MS,
    cacheEntries: 100,
    isFull: () => world.isFull,
    ...(wall ? {} : { now: () => world.now }),
  })
  const read = async (signal = new AbortController().signal, account = id): Promise<bigint | string> => {
    const [outcome] = await reader.read(chain, queryOf(account), signal)
    if (!outcome) throw new Error('no outcome')
    return outcome.ok ? (outcome.balances as EvmBalances).native : outcome.error.message
  }
  const fresh = () => reader.fresh(chain, queryOf(id))
  return { world, chain, read, reader, fresh, isFresh: () => fresh() !== undefined }
}

/** A read that its only reader leaves before it ends; returns what ends it all the same. */
async function leave({ world, read }: Pick<ReturnType<typeof stage>, 'world' | 'read'>) {
  let end: (answer: Answer) => void = () => {}
  world.next = () =>
    new Promise((resolve) => {
      end = resolve
    })
  const leaving = new AbortController()
  const left = read(leaving.signal)
  await new Promise(setImmediate)
  leaving.abort()
  await expect(left).rejects.toThrow()
  return end
}

it('stands in for a failed read up to the configured age, and not one millisecond longer', async () => {
  const { world, read } = stage()
  expect(await read()).toBe(7n)
  world.next = () => down
  world.now += MAX_STALE_MS
  expect(await read()).toBe(7n)
  world.now += 1
  expect(await read()).toBe('nobody answers')
  // Nor does having been served make a reading younger.
  world.now += CACHE_MS
  expect(await read()).toBe('nobody answers')
})

it('where a read fails for some accounts, the reading before stands in for all of them, or those are errors', async () => {
  const { world, chain, reader } = stage()
  const other = id.replace('ab', 'cd')
  const said = async (...ids: string[]) =>
    (await reader.read(chain, queryOf(...ids), new AbortController().signal)).map((outcome) =>
      outcome.ok ? (outcome.balances as EvmBalances).native : outcome.error.message,
    )
  expect(await said(id, other)).toEqual([7n, 7n])
  world.now += MAX_STALE_MS
  world.next = () => holding(8n)
  world.failing = [other]
  // Had coins moved from one to the other meanwhile, they would have been in neither, or in both.
  expect(await said(id, other)).toEqual([7n, 7n])
  world.now += 1
  expect(await said(id, other)).toEqual([8n, 'nobody answers'])
  world.now += CACHE_MS
  world.failing = [id, other]
  expect(await said(other, id)).toEqual(['nobody answers', 8n])
  world.next = () => holding(9n)
  world.failing = [id]
  expect(await said(id, other)).toEqual(['nobody answers', 9n])
})

it('a wrong address beside others is told again, and does not keep them from being current', async () => {
  const { world, chain, reader } = stage()
  const wrong = new BadInputError('not an address')
  chain.source.readBalances = async () => {
    world.reads += 1
    return new Map<string, Answer>([
      [id, holding(7n)],
      ['x', { ok: false, error: wrong }],
    ])
  }
  const read = async () =>
    (await reader.read(chain, queryOf(id, 'x'), new AbortController().signal)).map(({ ok }) => ok)
  expect([await read(), await read(), reader.fresh(chain, queryOf(id, 'x'))]).toEqual([
    [true, false],
    [true, false],
    undefined,
  ])
  expect(world.reads).toBe(1)
})

it('accounts that are read already are waited for together, and none is read twice', async () => {
  const { world, reader, chain } = stage()
  const held = gate()
  world.next = async () => {
    await held.opened
    return holding(7n)
  }
  const ask = () => reader.read(chain, queryOf(id, id.replace('ab', 'cd')), new AbortController().signal)
  const both = [ask(), ask()]
  held.open()
  for (const outcomes of both)
    expect((await outcomes).map((outcome) => outcome.ok && outcome.balances)).toEqual([
      { native: 7n, tokens: [] },
      { native: 7n, tokens: [] },
    ])
  expect(world.reads).toBe(1)
})

it('says after how long a read has failed', async () => {
  const { world, reader, chain } = stage()
  world.next = () => {
    world.now += 3_000
    return down
  }
  expect(await reader.read(chain, queryOf(id), new AbortController().signal)).toMatchObject([
    { ok: false, afterMs: 3_000 },
  ])
})

it('balances do not stand still for an hour when the clock of the machine is set back by one', async () => {
  const { world, read } = stage({ wall: true })
  expect(await read()).toBe(7n)
  world.next = () => holding(8n)
  const clock = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => clock() - 3_600_000)
  await sleep(CACHE_MS + 50)
  expect(await read()).toBe(8n)
})

it('counts the age of a reading from the beginning of its read', async () => {
  const { world, read } = stage()
  world.next = () => {
    world.now += 3_000
    return holding(7n)
  }
  expect(await read()).toBe(7n)
  world.next = () => down
  world.now += MAX_STALE_MS - 3_000
  expect(await read()).toBe(7n)
  world.now += 1
  expect(await read()).toBe('nobody answers')
})

it('is current for less than the time of the chain, and then read again', async () => {
  const { world, read, isFresh } = stage()
  await read()
  world.now += CACHE_MS - 1
  expect(isFresh()).toBe(true)
  await read()
  expect(world.reads).toBe(1)
  world.now += 1
  expect(isFresh()).toBe(false)
  await read()
  expect(world.reads).toBe(2)
})

it('never stands in for an address that is wrong', async () => {
  const { world, read } = stage()
  await read()
  world.now += CACHE_MS
  world.next = () => ({ ok: false, error: new BadInputError('not an address') })
  expect(await read()).toBe('not an address')
})

it('an older read that ends after a newer one does not bring its number back', async () => {
  const { world, read } = stage()
  const answerOld = await leave({ world, read })
  world.now += 10
  world.next = () => holding(9n)
  expect(await read()).toBe(9n)
  // Whoever read the first for nobody answers all the same.
  answerOld(holding(7n))
  await new Promise(setImmediate)
  expect(await read()).toBe(9n)
  world.next = () => down
  world.now += CACHE_MS
  expect(await read()).toBe(9n)
})

it('what was told of a current reading holds until it is too old, and not one millisecond longer', async () => {
  const { world, read, reader, fresh } = stage()
  world.next = () => {
    world.now += 30
    return holding(7n)
  }
  await read()
  const known = fresh()
  const freshness = reader.freshness(known?.until ?? 0)
  expect(known?.balances.map((balances) => (balances as EvmBalances).native)).toEqual([7n])
  world.now += CACHE_MS - 30 - 1
  expect(reader.isFresh(freshness)).toBe(true)
  world.now += 1
  expect(reader.isFresh(freshness)).toBe(false)
})

it('what was told of a current reading holds no longer when a newer one takes its place before its time', async () => {
  const { world, read, reader, fresh } = stage()
  const answerOld = await leave({ world, read })
  world.now += 10
  let answerNew: (answer: Answer) => void = () => {}
  world.next = () =>
    new Promise((resolve) => {
      answerNew = resolve
    })
  const newer = read()
  await new Promise(setImmediate)
  // Whoever read for nobody answers all the same, and first.
  answerOld(holding(7n))
  await new Promise(setImmediate)
  const freshness = reader.freshness(fresh()?.until ?? 0)
  expect(reader.isFresh(freshness)).toBe(true)
  answerNew(holding(9n))
  expect(await newer).toBe(9n)
  expect(reader.isFresh(freshness)).toBe(false)
})

it('what is kept is bounded by the tokens in it, not by accounts alone', async () => {
  const { world, read, isFresh } = stage()
  expect(await read()).toBe(7n)
  const token = { address: '0xa', name: 'Token', symbol: 'TKN', decimals: 18, balance: 1n }
  world.next = () => ({ ok: true, value: { native: 8n, tokens: Array.from({ length: 299 }, () => token) } })
  for (const digit of '123') await read(undefined, `0x${digit.repeat(40)}`)
  expect(isFresh()).toBe(true)
  for (const digit of '4567') await read(undefined, `0x${digit.repeat(40)}`)
  expect(isFresh()).toBe(false)
})

it('begins no read where there is no room: what is known stands in, the others are told, and read when there is room', async () => {
  const { world, read } = stage()
  expect(await read()).toBe(7n)
  world.now += CACHE_MS
  world.isFull = true
  const other = `0x${'cd'.repeat(20)}`
  expect(await read()).toBe(7n)
  expect(await read(undefined, other)).toBe('this server has too much to do, try again')
  expect(world.reads).toBe(1)
  world.isFull = false
  expect(await read(undefined, other)).toBe(7n)
})

it('a chain is told for whom it is read, and who joins', async () => {
  const { world, chain, reader } = stage()
  const answer = gate()
  world.next = () => answer.opened.then(() => holding(7n))
  const read = (client?: string) => reader.read(chain, queryOf(id), new AbortController().signal, client)
  const asked = [read('a'), read()]
  await new Promise(setImmediate)
  expect(world.clients).toEqual(new Set(['a']))
  asked.push(read('b'))
  expect(world.clients).toEqual(new Set(['a', 'b']))
  answer.open()
  await Promise.all(asked)
  expect(world.reads).toBe(1)
})
