import { DeadlineError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../../errors.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { type ForwardCall, requestOf } from '../call.ts'
import { errorOf, type Judge } from '../judge.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import { waitFor } from './sending.ts'
import { createTurnstile } from './turnstile.ts'

/** A call that runs one at a time per node, and how its answer is judged. */
export interface AloneCall {
  call: ForwardCall
  judge: Judge
}

/** Aggregating signatures may hang a node, so this timeout is shorter. Over all nodes, milliseconds. */
const ALONE_MS = 20_000

/** Unsuccessful responses, the most useful one of each kind. */
interface Unsuccessful {
  /** The node handled the call but does not have the result (yet). */
  without?: RawResponse
  limited?: RawResponse
  /** The node could not be reached, has too many of these calls waiting, or sent something unfit for a client. */
  failure?: unknown
  /** An error in the node's own dialect. */
  trouble?: RawResponse
  lacksMethod?: RawResponse
  /** The node does not run the chain, or is not ready. */
  notThere?: RawResponse
}

function note(seen: Unsuccessful, judge: Judge, answer: RawResponse): void {
  const verdict = judge(answer)
  if (verdict.kind === 'answer') return
  if (verdict.rateLimited) seen.limited = answer
  else if (verdict.unheard === 'place') seen.notThere = answer
  else if (verdict.unheard === 'method') seen.lacksMethod = answer
  else if (verdict.behind) seen.without = answer
  else if (answer.status >= 500 && errorOf(answer.body)) seen.trouble = answer
  // A missing key concerns only the node and this server; a non-answer or another call's answer is not passed on.
  else seen.failure ??= new UpstreamUnavailableError(`${answer.host} ${verdict.reason}`)
}

/** @param areAll false: the others have had too many requests before, and one of them may answer later */
function lastWord(
  { call, judge }: AloneCall,
  seen: Unsuccessful,
  members: readonly Member[],
  areAll: boolean,
): RawResponse {
  if (seen.without) return seen.without
  if (areAll && !seen.limited) {
    if (seen.failure !== undefined) throw seen.failure
    const words = seen.trouble ?? seen.lacksMethod ?? seen.notThere
    if (words) return words
  }
  // A node's rate limit concerns only the node and this server.
  const verdict = seen.limited && judge(seen.limited)
  const wait = (verdict?.kind === 'retry' ? verdict.retryAfterMs : undefined) ?? waitFor(members)
  throw new UpstreamRateLimitedError(`${call.method}: the nodes that might answer are rate limiting`, wait)
}

/**
 * Asks the node with the fewest such calls, one call at a time, and the next node if that one does not run the chain,
 * lacks the method or the result, is down, in trouble or rate limited. Stops after a node that uses up all the time:
 * the next one would hang as well.
 * @throws FirnError when no node answers
 */
export function createAlone(): (asked: AloneCall, group: NodeGroup) => Promise<RawResponse> {
  const turnstile = createTurnstile()
  /** @param time remaining time, without the time that a call waits for others */
  const pass = ({ call, judge }: AloneCall, member: Member, time: { left: number }): Promise<RawResponse> =>
    turnstile.pass(member.host, () => {
      const begun = steadyNow()
      const options = { idempotent: false, signal: call.signal, deadline: Date.now() + time.left, judge }
      return member.pool.exchange(requestOf(call, member.path(call.endpoint)), options).finally(() => {
        time.left -= steadyNow() - begun
      })
    })
  return async (asked, group) => {
    const now = Date.now()
    const members = group.members()
    const free = members.filter((one) => one.pausedUntil() <= now)
    const inOrder = (free.length > 0 ? [...free] : members.slice(0, 1)).sort(
      (a, b) => turnstile.load(a.host) - turnstile.load(b.host),
    )
    const seen: Unsuccessful = {}
    const time = { left: ALONE_MS }
    for (const member of inOrder) {
      if (time.left <= 0) break
      try {
        const answer = await pass(asked, member, time)
        if (asked.judge(answer).kind === 'answer') return answer
        note(seen, asked.judge, answer)
      } catch (error) {
        if (asked.call.signal.aborted || error instanceof DeadlineError) throw error
        seen.failure ??= error
      }
    }
    return lastWord(asked, seen, members, inOrder.length === members.length)
  }
}
