import { ABSURD_LEAD, type RawResponse } from '../../../../upstream/index.ts'
import type { ForwardCall } from '../call.ts'
import { resultIn } from '../result-in.ts'
import { heightOf, type LateNodes } from './late-nodes.ts'
import type { Member, NodeGroup } from './node-pools.ts'

/** How a node is asked for its height. */
export type HeightCall = Pick<ForwardCall, 'endpoint' | 'method'>

/** Tracks the highest block of P and X that clients have been told of, and which nodes may not have it. */
export interface ToldHeights {
  /**
   * Called with each answer: a client that hears of a height then reads that block's state, possibly at another node.
   * True = the height is higher than all before.
   */
  note(call: ForwardCall, group: NodeGroup, answer: RawResponse): boolean
  /** Another process has reported this height. True as above. */
  heard(asked: HeightCall, group: NodeGroup, height: bigint, host: string): boolean
  /** The chain was reset. */
  clear(): void
}

/** Time limit for one look at a node, milliseconds. */
const WAIT_MS = 2_000

/** The height in the answer to a call for it. */
export const heightIn = (body: Buffer): bigint | undefined => {
  const digits = /"height":"(\d{1,20})"/.exec(resultIn(body).toString('latin1', 0, 512))?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

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

export function createToldHeights(late: Pick<LateNodes, 'note'>): ToldHeights {
  const marks = new Map<string, bigint>()
  const heard: ToldHeights['heard'] = (asked, group, told, host) => {
    const { path } = asked.endpoint
    if (told <= (marks.get(path) ?? -1n)) return false
    // Otherwise an impossible height of one node would exclude all others.
    if (told - (group.pool.head() ?? told) > ABSURD_LEAD) return false
    marks.set(path, told)
    for (const member of group.members())
      if (member.host !== host) late.note(member.host, heightOf(path), () => hasReached(member, asked, told))
    return true
  }
  return {
    note(call, group, { host, status, body }) {
      const told = call.rule.height && status === 200 ? heightIn(body) : undefined
      return told !== undefined && heard(call, group, told, host)
    },
    heard,
    clear: () => marks.clear(),
  }
}
