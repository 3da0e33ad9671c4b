import { steadyNow } from '../../../lib/steady-clock.ts'
import type { BlockMark } from '../read/reader-types.ts'
import type { BalanceSweep } from './balance-sweep.ts'
import { BlockLostError } from './sweep-tally.ts'

/** An older height no longer counts: the chain has moved on, or was set back meanwhile. Milliseconds. */
const FORGOTTEN_MS = 60_000

/**
 * A sweep that does not go back behind earlier answers: many servers stand behind one address, and an answer of one
 * that is stuck would show balances that are already spent. A result that is more than `lagBlocks` older is read again
 * at the newest recent block. If no server has that block any more, the chain itself went back.
 * @param now milliseconds
 */
export function createSteadySweep(sweep: BalanceSweep, lagBlocks: number, now: () => number = steadyNow): BalanceSweep {
  let newest: (BlockMark & { at: number }) | undefined

  const saw = (block: BlockMark): void => {
    newest = { ...block, at: now() }
  }
  const isOld = ({ number }: BlockMark): boolean =>
    newest !== undefined && now() - newest.at < FORGOTTEN_MS && number < newest.number

  return {
    read: async (rectangles, context, later) => {
      const result = await sweep.read(rectangles, context, later)
      const { block } = result
      if (!isOld(block)) saw(block)
      if (!newest || !isOld({ ...block, number: block.number + BigInt(lagBlocks) })) return result
      try {
        return await sweep.read(rectangles, context, later, newest)
      } catch (error) {
        if (!(error instanceof BlockLostError)) throw error
        saw(block)
        return result
      }
    },
  }
}
