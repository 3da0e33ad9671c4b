import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import type { EvmBalances } from '../../../src/chains/capabilities.ts'
import { gate } from '../../support/waiting/gate.ts'
import { type Answer, CACHE_MS, down, holding, id, leave, queryOf, stage } from './reader-stage.ts'

afterEach(() => void vi.restoreAllMocks())

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

it('what was told of a current reading holds on when another one, which is too old, is replaced', async () => {
  const { world, read, reader, chain } = stage()
  const other = id.replace('ab', 'cd')
  await read()
  world.now += CACHE_MS - 10
  await read(undefined, other)
  const freshness = reader.freshness(reader.fresh(chain, queryOf(other))?.until ?? 0)
  world.now += 10
  await read()
  expect(world.reads).toBe(3)
  expect(reader.isFresh(freshness)).toBe(true)
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

it('a read that everybody has left does not hide the one under way when it ends', async () => {
  const { world, read } = stage()
  const answerOld = await leave({ world, read })
  world.now += CACHE_MS
  const held = gate()
  world.next = async () => {
    await held.opened
    return holding(9n)
  }
  const second = read()
  answerOld(holding(7n))
  await new Promise(setImmediate)
  const third = read()
  held.open()
  expect([await second, await third]).toEqual([9n, 9n])
  expect(world.reads).toBe(2)
})
