import { expect, it } from 'vitest'
import { runMovingPrimary } from './moving-primary.ts'

/** As many seeds, from 1 on. */
const SEEDS = Number(process.env['FIRN_TEST_SEEDS'] ?? 2)

it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'what was told of P and X stays true while nodes accept blocks one after another and fail in turn (seed %i)',
  async (seed) => {
    const { wrong, answered, errors, blocks } = await runMovingPrimary(seed, 1_200)
    expect(wrong).toEqual([])
    expect(blocks).toBe(60)
    // Errors are for moments in which nobody can know.
    expect(errors).toBeLessThan(answered / 10)
  },
)
