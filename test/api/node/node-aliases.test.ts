import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNodeAliases } from '../../../src/api/node/routes/node-aliases.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('a name is asked for again after a minute, one that nobody has after five seconds', async () => {
  const ids = new Map([['lab', 'one']])
  const ask = vi.fn(async (alias: string) => ids.get(alias))
  const aliases = createNodeAliases(ask)
  const found = async () => [await aliases.find('lab'), await aliases.find('late')]
  expect(await found()).toEqual(['one', undefined])
  ids.set('lab', 'another').set('late', 'third')
  vi.advanceTimersByTime(4_900)
  expect(await found()).toEqual(['one', undefined])
  expect(ask).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(200)
  expect(await found()).toEqual(['one', 'third'])
  vi.advanceTimersByTime(55_000)
  expect(await found()).toEqual(['another', 'third'])
})

it('a name stands while nobody can be asked, and one that nobody had before may have been given since', async () => {
  let isAway = false
  const aliases = createNodeAliases(async (alias) => {
    if (isAway) throw new Error('no node')
    return alias === 'lab' ? 'one' : undefined
  })
  expect(await aliases.find('lab')).toBe('one')
  isAway = true
  vi.advanceTimersByTime(3_600_000)
  expect(await aliases.find('lab')).toBe('one')
  await expect(aliases.find('other')).rejects.toThrow('no node')
  isAway = false
  expect(await aliases.find('other')).toBeUndefined()
  isAway = true
  vi.advanceTimersByTime(3_600_000)
  await expect(aliases.find('other')).rejects.toThrow('no node')
})

it('callers who ask for a name at the same time wait for one answer', async () => {
  const ask = vi.fn(async (alias: string) => `id of ${alias}`)
  const aliases = createNodeAliases(ask)
  expect(await Promise.all([aliases.find('lab'), aliases.find('lab'), aliases.find('b')])).toEqual([
    'id of lab',
    'id of lab',
    'id of b',
  ])
  expect(ask).toHaveBeenCalledTimes(2)
})
