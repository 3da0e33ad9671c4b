import { setTimeout as sleep } from 'node:timers/promises'
import { FirnError } from '../../errors.ts'
import type { ChainLetter, Side } from '../../facts/primary-network.ts'
import type { IndexReader } from '../../store/index.ts'

/** How long to wait for the index when a node is ahead of it, milliseconds. */
export const PATIENCE_MS = 3_000
const LOOK_MS = 100

/**
 * The nodes have seen blocks that the index lacks: outputs of these blocks cannot be told from older ones, and outputs
 * spent there are gone at the nodes while their successors are missing here.
 */
class IndexBehindError extends FirnError {
  constructor(letter: ChainLetter, height: bigint) {
    super(`the index of the ${letter.toLowerCase()}-chain has not reached block ${height} of the nodes yet`, {
      code: 'INDEX_BEHIND',
      status: 503,
      retryable: true,
      expose: true,
    })
  }
}

/**
 * Waits until the index has these heights.
 * @param patienceMs longest wait
 * @throws IndexBehindError
 */
export async function untilIndexed(
  index: Pick<IndexReader, 'progress'>,
  side: Side,
  heights: ReadonlyMap<ChainLetter, bigint>,
  patienceMs: number,
): Promise<void> {
  const until = performance.now() + patienceMs
  for (;;) {
    const tips = new Map((await index.progress()).map(({ stream, tip }) => [stream, tip?.height ?? -1n]))
    const behind = [...heights].find(([chain, height]) => (tips.get(`${side}:${chain}`) ?? -1n) < height)
    if (!behind) return
    if (performance.now() >= until) throw new IndexBehindError(...behind)
    await sleep(LOOK_MS)
  }
}
