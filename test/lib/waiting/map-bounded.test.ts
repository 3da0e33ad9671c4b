import { describe, expect, it } from 'vitest'
import { mapBounded } from '../../../src/lib/waiting/map-bounded.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('mapBounded', () => {
  it('keeps the order and the bound', async () => {
    let running = 0
    let most = 0
    const items = Array.from({ length: 20 }, (_, index) => index)
    const results = await mapBounded(items, 3, async (item) => {
      running += 1
      most = Math.max(most, running)
      for (let left = 20 - item; left > 0; left -= 1) await turn()
      running -= 1
      return item * 2
    })
    expect(results).toEqual(items.map((item) => item * 2))
    expect(most).toBe(3)
    expect(await mapBounded([], 3, async () => 1)).toEqual([])
  })

  it('rejects with the first failure and starts nothing further', async () => {
    const started: number[] = []
    const work = mapBounded([0, 1, 2, 3, 4, 5], 2, async (item) => {
      started.push(item)
      await turn()
      if (item === 1) throw new Error('one')
      await turn()
    })
    await expect(work).rejects.toThrow('one')
    await turn()
    await turn()
    expect(started).toEqual([0, 1])
  })

  it('starts nothing after an abort', async () => {
    const controller = new AbortController()
    const started: number[] = []
    const work = mapBounded(
      [0, 1, 2],
      1,
      async (item) => {
        started.push(item)
        controller.abort(new Error('left'))
      },
      controller.signal,
    )
    await expect(work).rejects.toThrow('left')
    expect(started).toEqual([0])
  })
})
