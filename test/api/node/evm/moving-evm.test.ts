import { expect, it } from 'vitest'
import { runMovingEvm } from './moving-evm.ts'

/** As many seeds, from 1 on. */
const SEEDS = Number(process.env['FIRN_TEST_SEEDS'] ?? 2)

it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'what was told stays true while nodes accept blocks one after another and fail in turn (seed %i)',
  async (seed) => {
    const { wrong, answered, errors, blocks } = await runMovingEvm(seed, 2_000)
    expect(wrong).toEqual([])
    expect(blocks).toBe(100)
    // Errors are for moments in which nobody can know.
    expect(errors).toBeLessThan(answered / 10)
  },
)
