import { steadyNow } from '../../../lib/steady-clock.ts'
import { BlockLostError } from '../read/call-failure.ts'
import type { BlockMark } from '../read/reader-types.ts'
import { type BalanceSweep, OldBlockError } from './balance-sweep.ts'

/** An older height no longer counts: the chain has moved on, or was set back meanwhile. Milliseconds. */
const FORGOTTEN_MS = 60_000
/**
 * So many times `lagBlocks`, which is the work of ten seconds at least, take longer than anything about a token that
 * failed is remembered: a chain that has moved on by more since the last read was read there at a server that stood still.
 */
const LEAP = 100

/**
 * A sweep that does not go back behind earlier answers: many servers stand behind one address, and an answer of one
 * that is stuck would show balances that are already spent. Where the latest block is more than `lagBlocks` older, the
 * newest recent block is read instead. If no server has that block any more, the chain itself went back.
 * @param onLeap the block of the read before was far too old, and nobody knew
 * @param now milliseconds
 */
export function createSteadySweep(
  sweep: BalanceSweep,
  lagBlocks: number,
  onLeap: () => void,
  now: () => number = steadyNow,
): BalanceSweep {
  let newest: (BlockMark & { at: number }) | undefined

  const saw = (block: BlockMark): void => {
    if (newest && block.number - newest.number > BigInt(LEAP * lagBlocks)) onLeap()
    newest = { ...block, at: now() }
  }
  const isOld = ({ number }: BlockMark, lag = 0): boolean =>
    newest !== undefined && now() - newest.at < FORGOTTEN_MS && number + BigInt(lag) < newest.number

  return {
    read: async (rectangles, context, later) => {
      try {
        const result = await sweep.read(rectangles, context, later, { isWanted: (block) => !isOld(block, lagBlocks) })
        if (!isOld(result.block)) saw(result.block)
        return result
      } catch (error) {
        if (!(error instanceof OldBlockError) || !newest) throw error
      }
      try {
        return await sweep.read(rectangles, context, later, { at: newest })
      } catch (error) {
        if (!(error instanceof BlockLostError)) throw error
      }
      const result = await sweep.read(rectangles, context, later)
      saw(result.block)
      return result
    },
  }
}
