import { expect, it } from 'vitest'
import { createMemoryUsage } from '../../../src/api/data/compute-units.ts'

it('units that are given back of what nobody counts any more are no credit', async () => {
  const usage = createMemoryUsage()
  expect(await usage.add('a', -50, 1)).toBe(0)
  expect(await usage.add('a', 3, 1)).toBe(3)
})

it('where there is no room for more callers, those are forgotten whose time is over, or else the first', async () => {
  let now = 0
  const usage = createMemoryUsage(10, () => now)
  for (let caller = 0; caller < 10; caller += 1) await usage.add(`${caller}`, 1, caller < 5 ? 100 : 1)
  now = 1
  await usage.add('10', 1, 100)
  // Five were over.
  for (const caller of ['0', '4', '10']) expect([caller, await usage.add(caller, 1, 100)]).toEqual([caller, 2])
  for (let caller = 20; caller < 26; caller += 1) await usage.add(`${caller}`, 1, 100)
  expect(await usage.add('25', 1, 100)).toBe(2)
  expect(await usage.add('0', 1, 100)).toBe(1)
})
