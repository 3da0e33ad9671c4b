import { DeadlineError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../errors.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { RawRequest, RawResponse } from '../../../upstream/index.ts'
import type { ForwardCall } from './call.ts'
import { errorOf, type Judge } from './judge.ts'
import type { Member, NodeGroup } from './node-pools.ts'
import { createTurnstile } from './turnstile.ts'
import { waitFor } from './writes.ts'

/** What is asked of one node at a time, and how its answer is read. */
export interface AloneCall {
  call: ForwardCall
  judge: Judge
  /** @param path of the endpoint at the node */
  requestAt(path: string): RawRequest
}

/** Aggregating signatures may hang a node: less patience. Over all nodes, milliseconds. */
const ALONE_MS = 20_000

/** What those said that did not answer, the nearest to an answer of each kind. */
interface Told {
  /** It looked into the question, and has not what is asked for (yet). */
  without?: RawResponse
  limited?: RawResponse
  /** It could not be reached, has too many of these calls waiting, or what it said is nothing for a client. */
  failure?: unknown
  /** In its own dialect. */
  trouble?: RawResponse
  lacksMethod?: RawResponse
  /** It does not run the chain, or is not ready. */
  notThere?: RawResponse
}

function note(told: Told, judge: Judge, answer: RawResponse): void {
  const verdict = judge(answer)
  if (verdict.kind === 'answer') return
  if (verdict.rateLimited) told.limited = answer
  else if (verdict.unheard === 'place') told.notThere = answer
  else if (verdict.unheard === 'method') told.lacksMethod = answer
  else if (verdict.behind) told.without = answer
  else if (answer.status >= 500 && errorOf(answer.body)) told.trouble = answer
  // That it wants a key is between it and this server, and what is no answer, or another call's, must not be taken for one.
  else told.failure ??= new UpstreamUnavailableError(`${answer.host} ${verdict.reason}`)
}

/** @param areAll whether each node was asked: of others nobody knows, one may be the one that runs the chain */
function lastWord({ call, judge }: AloneCall, told: Told, members: readonly Member[], areAll: boolean): RawResponse {
  if (told.without) return told.without
  if (told.failure !== undefined && !told.limited) throw told.failure
  if (told.trouble && !told.limited) return told.trouble
  const unheard = told.lacksMethod ?? told.notThere
  if (unheard && areAll && !told.limited) return unheard
  // What a node says of its own limits is between it and this server.
  const verdict = told.limited && judge(told.limited)
  const wait = (verdict?.kind === 'retry' ? verdict.retryAfterMs : undefined) ?? waitFor(members)
  throw new UpstreamRateLimitedError(`${call.method}: every node has had too many requests`, wait)
}

/**
 * Asks the node with the fewest such calls, one at a time; the next one where that has nothing to say: it does not run the
 * chain, lacks the method, has not what is asked for, is away, in trouble, or has had too many requests. Not one that takes
 * all the time there is: the next would be hung as well.
 * @throws FirnError when no node answers
 */
export function createAlone(): (asked: AloneCall, group: NodeGroup) => Promise<RawResponse> {
  const turnstile = createTurnstile()
  /** @param time what is left of it, without that for which a call waits for others */
  const pass = ({ call, judge, requestAt }: AloneCall, member: Member, time: { left: number }): Promise<RawResponse> =>
    turnstile.pass(member.host, () => {
      const begun = steadyNow()
      const options = { idempotent: false, signal: call.signal, deadline: Date.now() + time.left, judge }
      return member.pool.exchange(requestAt(member.path(call.endpoint)), options).finally(() => {
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
    const told: Told = {}
    const time = { left: ALONE_MS }
    for (const member of inOrder) {
      if (time.left <= 0) break
      try {
        const answer = await pass(asked, member, time)
        if (asked.judge(answer).kind === 'answer') return answer
        note(told, asked.judge, answer)
      } catch (error) {
        if (asked.call.signal.aborted || error instanceof DeadlineError) throw error
        told.failure ??= error
      }
    }
    return lastWord(asked, told, members, inOrder.length === members.length)
  }
}
