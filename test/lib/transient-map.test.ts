import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { TransientMap } from '../../src/lib/transient-map.ts'

it('is a map in the order of coming, however much comes and goes', () => {
  const map = new TransientMap<string, number>()
  const plain = new Map<string, number>()
  const both = [map, plain] as const
  for (let at = 0; at < 2_000; at++) {
    for (const one of both) one.set(`${(at * 7) % 300}`, at)
    const gone = `${(at * 11) % 300}`
    expect(map.delete(gone)).toBe(plain.delete(gone))
    expect([map.size, map.get('5'), map.has('6')]).toEqual([plain.size, plain.get('5'), plain.has('6')])
  }
  expect([...map]).toEqual([...plain])
  expect([[...map.keys()], [...map.values()]]).toEqual([[...plain.keys()], [...plain.values()]])
  map.clear()
  expect([map.size, [...map]]).toEqual([0, []])
})

it('whoever goes through it may remove what he is shown', () => {
  const map = new TransientMap<number, string>()
  for (let at = 0; at < 500; at++) map.set(at, `${at}`)
  const seen: number[] = []
  for (const [key] of map) {
    seen.push(key)
    map.delete(key)
  }
  expect(seen).toEqual(Array.from({ length: 500 }, (_, at) => at))
  expect(map.size).toBe(0)
})

/** Megabytes of old objects that `churn` leaves where the whole heap is not collected. */
function oldMegabytes(churn: () => void): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const used = (): number =>
    (getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0) / 1e6
  collect()
  const before = used()
  churn()
  for (let times = 0; times < 3; times++) collect({ type: 'minor' })
  return used() - before
}

it('lets go what it held, also where it had stood idle before', () => {
  const map = new TransientMap<number, number[]>()
  map.set(-1, [])
  const grown = oldMegabytes(() => {
    for (let at = 0; at < 50_000; at++) {
      map.set(
        at,
        Array.from({ length: 100 }, () => at),
      )
      map.delete(at - 20)
    }
  })
  // All of it is some 40 megabytes; of a plain Map 20 stay.
  expect(grown).toBeLessThan(4)
})
