import { describe, expect, it } from 'vitest'
import { createGapless } from '../../../src/services/containers/gapless.ts'

/** An index that holds `length` containers, without those in `missing`. */
function indexOf(length: bigint, missing: readonly bigint[] = []) {
  const asked: [bigint, bigint][] = []
  const count = async (from: bigint, below: bigint): Promise<bigint> => {
    asked.push([from, below])
    const end = below < length ? below : length
    const there = end > from ? end - from : 0n
    return there - BigInt(missing.filter((at) => at >= from && at < end).length)
  }
  return { asked, count }
}

describe('an index without gaps', () => {
  it('is counted once, and then only what is new', async () => {
    const { asked, count } = indexOf(120n)
    const gapless = createGapless(count)
    expect(await gapless.reaches(0n)).toBe(true)
    expect(await gapless.reaches(100n)).toBe(true)
    expect(await gapless.reaches(50n)).toBe(true)
    expect(await gapless.reaches(120n)).toBe(true)
    expect(asked).toEqual([
      [0n, 100n],
      [100n, 120n],
    ])
  })

  it('is counted in pieces and in the background when it is long', async () => {
    const { asked, count } = indexOf(1_000_000n)
    const gapless = createGapless(count)
    expect(await gapless.reaches(1_000_000n)).toBe(false)
    await expect.poll(() => gapless.reaches(1_000_000n)).toBe(true)
    expect(asked.every(([from, below]) => below - from <= 50_000n)).toBe(true)
    expect(asked).toHaveLength(20)
  })

  it('reaches several ends that are asked for at once', async () => {
    const gapless = createGapless(indexOf(90_000n).count)
    expect(await Promise.all([10n, 80_000n, 90_000n].map(gapless.reaches))).toEqual([true, true, true])
  })
})

describe('an index with a gap', () => {
  it.each([0, 57, 99])('at %i is never whole', async (at) => {
    const { asked, count } = indexOf(100n, [BigInt(at)])
    const gapless = createGapless(count)
    expect(await gapless.reaches(100n)).toBe(false)
    expect(await gapless.reaches(200n)).toBe(false)
    expect(asked).toHaveLength(1)
  })

  it.each([100n, 500_000n])(
    'of %i is counted again after a minute: another server may have had less of it',
    async (end) => {
      const { asked, count } = indexOf(end)
      let lag = 3n
      let now = 0
      const gapless = createGapless(
        async (from, below) => (await count(from, below)) - lag,
        () => now,
      )
      expect(await gapless.reaches(end)).toBe(false)
      await expect.poll(() => asked.length).toBe(1)
      lag = 0n
      now = 59_999
      expect(await gapless.reaches(end)).toBe(false)
      expect(asked).toHaveLength(1)
      now = 60_000
      await expect.poll(() => gapless.reaches(end)).toBe(true)
    },
  )

  it('is asked again after a failure of the database', async () => {
    const { count } = indexOf(100n)
    let broken = true
    const gapless = createGapless((from, below) => (broken ? Promise.reject(new Error('down')) : count(from, below)))
    await expect(gapless.reaches(100n)).rejects.toThrow('down')
    broken = false
    expect(await gapless.reaches(100n)).toBe(true)
  })
})
