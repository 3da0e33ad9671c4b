import { expect, it } from 'vitest'
import { runMovingPrimary } from './moving-primary.ts'

it.each([1, 2, 3])(
  'what was told of P and X stays true while nodes accept blocks one after another and fail in turn (seed %i)',
  async (seed) => {
    const { wrong, answered, errors, blocks } = await runMovingPrimary(seed, 1_200)
    expect(wrong).toEqual([])
    expect(blocks).toBe(60)
    // Errors are for moments in which nobody can know.
    expect(errors).toBeLessThan(answered / 10)
  },
)
