import { expect, it } from 'vitest'
import { runMovingEvm } from './moving-evm.ts'

it.each([1, 2, 3])(
  'what was told stays true while nodes accept blocks one after another and fail in turn (seed %i)',
  async (seed) => {
    const { wrong, answered, errors, blocks } = await runMovingEvm(seed, 2_000)
    expect(wrong).toEqual([])
    expect(blocks).toBe(100)
    // Errors are for moments in which nobody can know.
    expect(errors).toBeLessThan(answered / 10)
  },
)
