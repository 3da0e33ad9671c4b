import { steadyNow } from '../../../../lib/steady-clock.ts'
import { ABSURD_LEAD, type RawResponse } from '../../../../upstream/index.ts'
import type { ForwardCall } from '../call.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import { heightOf, type LateNodes } from './late-nodes.ts'
import { type BlockHeight, type HeightCall, type ShownBlock, shownBlock } from './shown-block.ts'

/** High-water marks: the highest block of P and of X that clients were told of, and which nodes may not have it. */
export interface ShownHeights {
  /**
   * Called with each answer: a client that hears of a block then reads its state, possibly at another node. Returns
   * what it shows if that is higher than all before.
   */
  note(call: ForwardCall, group: NodeGroup, answer: RawResponse): ShownBlock | undefined
  /**
   * Another process has told a client of this height, or this one without a node.
   * @param host node that has it, if known
   * @returns true = it is higher than all before
   */
  heard(shown: ShownBlock, group: NodeGroup, host?: string): boolean
  /** The highest of each chain, if a client was told it lately: nodes that still lack it are behind, which others see. */
  recent(): Iterable<ShownBlock>
  /** The chain was reset. */
  clear(): void
}

/** Time limit for one look at a node, milliseconds. */
const WAIT_MS = 2_000

/** A node that does not answer has not reached it. */
async function hasReached(
  { pool, path }: Member,
  { endpoint, method = '' }: HeightCall,
  told: bigint,
): Promise<boolean> {
  try {
    const options = { batch: false, deadline: Date.now() + WAIT_MS }
    const { height } = await pool.rpc<{ height?: unknown }>(path(endpoint), method, {}, options)
    return BigInt(String(height)) >= told
  } catch {
    return false
  }
}

/**
 * Other processes are not told of an older one again, milliseconds: where the network was made anew meanwhile, they would
 * take all of its nodes for late until its height is the former one.
 */
const RECENT_MS = 60_000

export function createShownHeights(
  late: Pick<LateNodes, 'note' | 'settle'>,
  blockHeight: BlockHeight,
  now: () => number = steadyNow,
): ShownHeights {
  const marks = new Map<string, ShownBlock & { at: number }>()
  const heard: ShownHeights['heard'] = (shown, group, host) => {
    const { height: told, asked } = shown
    const { path } = asked.endpoint
    const head = group.pool.head()
    // Otherwise an impossible height of one node would exclude all others.
    const isAbsurd = (height: bigint): boolean => head !== undefined && height - head > ABSURD_LEAD
    const known = marks.get(path)?.height ?? -1n
    // It was the first that was told, when nobody knew better.
    const mark = isAbsurd(known) ? -1n : known
    if (told < mark || isAbsurd(told)) return false
    // It may have been noted for an earlier one, and hang on the question since it was away.
    if (host !== undefined) late.settle(host, heightOf(path))
    if (told === mark) return false
    marks.set(path, { ...shown, at: now() })
    for (const member of group.members())
      if (member.host !== host)
        late.note(member.host, heightOf(path), () => hasReached(member, asked, told), host !== undefined)
    return true
  }
  return {
    note(call, group, answer) {
      const shown = shownBlock(call, answer, blockHeight)
      return shown && heard(shown, group, answer.host) ? shown : undefined
    },
    heard,
    recent: () => [...marks.values()].filter(({ at }) => now() - at < RECENT_MS),
    clear: () => marks.clear(),
  }
}
