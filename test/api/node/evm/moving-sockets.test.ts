import { expect, it } from 'vitest'
import { runMovingSockets } from './moving-sockets.ts'

/** As many seeds, from 1 on. */
const SEEDS = Number(process.env['FIRN_TEST_SEEDS'] ?? 3)

it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'subscribers are told each block once and in order, and can ask for it, while nodes move and fail in turn (seed %i)',
  async (seed) => {
    const { wrong, errors, asked, pushed } = await runMovingSockets(seed, 100)
    expect(wrong).toEqual([])
    expect(Object.keys(pushed).sort()).toEqual(['logs', 'newHeads', 'newPendingTransactions'])
    // A block that one node alone has cannot be asked for while that one does not answer.
    expect(errors).toBeLessThan(asked / 2)
  },
)
