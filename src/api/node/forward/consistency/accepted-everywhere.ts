import { steadyNow } from '../../../../lib/steady-clock.ts'
import { pause } from '../../../../lib/waiting/pause.ts'
import { type ForwardCall, posted, requestOf } from '../call.ts'
import { errorOf } from '../judge.ts'
import { healthyHosts } from '../nodes/group-members.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import { idIn, isAccepted } from './awaited-transactions.ts'
import type { LateNodes } from './late-nodes.ts'

/** Nodes accept a block shortly after one another; a slower one lags and is not waited for. Milliseconds. */
const WAIT_MS = 2_000
/** Interval between two questions to one node, milliseconds. */
const AGAIN_MS = 50

/**
 * Waits until every healthy node has accepted what one has: a client that hears of it reads and spends the new outputs
 * at once, possibly at another node. Nodes that have not accepted it by then, or do not answer, are noted and returned:
 * they would show the earlier state. Never rejects.
 * @param first host of the one that has
 */
export async function acceptedEverywhere(
  call: ForwardCall,
  group: NodeGroup,
  first: string,
  late: Pick<LateNodes, 'note'>,
): Promise<string[]> {
  const healthy = healthyHosts(group)
  const others = group.members().filter(({ host }) => host !== first)
  const until = steadyNow() + WAIT_MS
  const asked = inOwnBytes(call)
  const lacking = await Promise.all(
    others.map(async (member) => {
      if (healthy.has(member.host) && (await acceptedAt(asked, member, until))) return []
      noteLacking(asked, member, late)
      return [member.host]
    }),
  )
  return lacking.flat()
}

/**
 * The same question with its own bytes: it is still sent after the answer, when the memory of a large body is reused by
 * the next client.
 */
function inOwnBytes(call: ForwardCall): ForwardCall {
  const id = idIn(call.params)
  if (id === undefined) return call
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${call.method}","params":{"txID":"${id}"}}`)
  return { ...call, http: posted(body) }
}

/** This node has not accepted what the call asks about: it is checked again before the next read there. */
export const noteLacking = (call: ForwardCall, member: Member, late: Pick<LateNodes, 'note'>): void =>
  late.note(member.host, call.endpoint.path, () => hasAccepted(call, member, new AbortController().signal, WAIT_MS))

/** A node's error for an unknown atomic transaction. */
const NOT_FOUND = 'could not find tx'

/** A node that does not answer has not accepted it; a node that cannot tell is not blamed. */
async function hasAccepted(call: ForwardCall, member: Member, signal: AbortSignal, timeMs: number): Promise<boolean> {
  try {
    const request = requestOf(call, member.path(call.endpoint))
    const { body } = await member.pool.exchange(request, { signal, deadline: Date.now() + timeMs })
    return isAccepted(call, body) || errorOf(body)?.message.includes(NOT_FOUND) === false
  } catch {
    return false
  }
}

async function acceptedAt(call: ForwardCall, member: Member, until: number): Promise<boolean> {
  const { signal } = call
  for (let left = WAIT_MS; left > 0 && !signal.aborted; left = until - steadyNow()) {
    if (await hasAccepted(call, member, signal, left)) return true
    await pause(AGAIN_MS, signal)
  }
  return false
}
