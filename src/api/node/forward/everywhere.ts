import { pause } from '../../../lib/pause.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { RawResponse } from '../../../upstream/index.ts'
import { type ForwardCall, forwardHeaders } from './call.ts'
import type { Member, NodeGroup } from './node-pools.ts'

/** Nodes accept a block soon after one another; one that takes longer is behind and is not waited for. Milliseconds. */
const WAIT_MS = 2_000
/** Between two questions to one node, milliseconds. */
const AGAIN_MS = 50

/** True for the first word that a transaction is accepted: of what clients do next, much rests on it. */
export const isNews = ({ rule }: ForwardCall, { status, body }: Pick<RawResponse, 'status' | 'body'>): boolean =>
  rule.news === true && status === 200 && (rule.finalWhen ?? []).some((mark) => body.includes(mark))

/**
 * Waits until every healthy node has accepted what one has: whoever hears of it reads the new outputs and spends them at
 * once, and the node that is asked then may be another one. Never rejects.
 */
export async function acceptedEverywhere(call: ForwardCall, group: NodeGroup, teller: string): Promise<void> {
  const healthy = new Set(group.pool.status().flatMap((one) => (one.healthy ? [one.host] : [])))
  const others = group.members().filter(({ host }) => host !== teller && healthy.has(host))
  const until = steadyNow() + WAIT_MS
  await Promise.all(others.map((member) => acceptedAt(call, member, until)))
}

async function acceptedAt(call: ForwardCall, member: Member, until: number): Promise<void> {
  const { http, signal, endpoint } = call
  for (let left = WAIT_MS; left > 0 && !signal.aborted; left = until - steadyNow()) {
    try {
      const response = await member.pool.exchange(
        {
          method: http.method,
          path: member.path(endpoint),
          headers: forwardHeaders(http),
          ...(http.body && { body: http.body }),
        },
        { signal, deadline: Date.now() + left },
      )
      if (isNews(call, response) || response.body.includes('"error"')) return
    } catch {
      // One that does not answer is found out by the reads themselves.
      return
    }
    await pause(AGAIN_MS, signal)
  }
}
