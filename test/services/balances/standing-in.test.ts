import { expect, it } from 'vitest'
import type { EvmBalances } from '../../../src/chains/capabilities.ts'
import { BadInputError, CancelledError } from '../../../src/errors.ts'
import { gate } from '../../support/waiting/gate.ts'
import {
  type Answer,
  CACHE_ENTRIES,
  CACHE_MS,
  down,
  holding,
  id,
  leave,
  MAX_STALE_MS,
  queryOf,
  stage,
} from './reader-stage.ts'

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
  world.failing = []
  expect(await said(id, other)).toEqual([8n, 8n])
  world.now += MAX_STALE_MS + 1
  world.failing = [other]
  expect(await said(id, other)).toEqual([8n, 'nobody answers'])
  world.failing = [id, other]
  expect(await said(other, id)).toEqual(['nobody answers', 8n])
  world.next = () => holding(9n)
  world.failing = [id]
  expect(await said(id, other)).toEqual(['nobody answers', 9n])
})

it('what a read tells that everybody has left is not told to the next when it was cut short', async () => {
  const { world, chain, reader } = stage()
  const other = id.replace('ab', 'cd')
  const held = gate()
  chain.source.readBalances = async () => {
    world.reads += 1
    await held.opened
    const cut: Answer = { ok: false, error: new CancelledError() }
    return new Map(
      world.reads === 1
        ? [
            [id, holding(7n)],
            [other, cut],
          ]
        : [
            [id, down],
            [other, down],
          ],
    )
  }
  const leaving = new AbortController()
  const left = reader.read(chain, queryOf(id, other), leaving.signal)
  leaving.abort()
  await expect(left).rejects.toThrow(CancelledError)
  held.open()
  await new Promise(setImmediate)
  const told = await reader.read(chain, queryOf(id, other), new AbortController().signal)
  expect(told.map((outcome) => outcome.ok || outcome.error.message)).toEqual(Array(2).fill('nobody answers'))
  expect(world.reads).toBe(2)
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

it('what could not be read takes no room from what may stand in', async () => {
  const { world, read } = stage()
  expect(await read()).toBe(7n)
  world.next = () => down
  for (let at = 0; at < CACHE_ENTRIES; at += 1) await read(undefined, `0x${`${at}`.padStart(40, '0')}`)
  world.now += CACHE_MS
  expect(await read()).toBe(7n)
})

it('what was read of a chain that was reset since is not current, stands in for nothing, and is not waited for', async () => {
  const { world, read, reader, fresh, isFresh } = stage()
  expect(await read()).toBe(7n)
  const freshness = reader.freshness(fresh()?.until ?? 0)
  world.resets += 1
  expect([isFresh(), reader.isFresh(freshness)]).toEqual([false, false])
  world.next = () => down
  expect(await read()).toBe('nobody answers')
  const held = gate()
  world.next = () => held.opened.then(() => holding(8n))
  const before = read()
  world.resets += 1
  world.next = () => holding(9n)
  expect(await read()).toBe(9n)
  held.open()
  expect([await before, await read()]).toEqual([8n, 9n])
})
