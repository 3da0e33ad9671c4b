import { UpstreamRateLimitedError } from '../../../../errors.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { type ForwardCall, requestOf } from '../call.ts'
import { wasTurnedAway } from '../judge.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import type { Lacks } from './next-node.ts'
import {
  ALL_MS,
  isSuccess,
  isUnheard,
  isVerdict,
  lastWord,
  MAX_NODES,
  send,
  takenOr,
  verdictOn,
  WRITE_MS,
} from './sending.ts'
import { sendToOne } from './to-one.ts'
import { type SignedTransaction, transactionOf } from './transaction-id.ts'

export type WritePolicy = 'one' | 'all'

/** The state of a write so far. */
interface Progress {
  /** The answer so far: a success, else the first answer about the transaction. */
  word?: RawResponse
  /** The node that gave it, if it is a refusal. */
  refusedBy?: Member
  /** A node that did not answer about it may have accepted it. */
  maybeTaken: boolean
  last?: RawResponse
  failure?: unknown
  /** Nodes that handled it, or may have. */
  looked: number
  /** Deadline for all of them. */
  readonly until: number
}

/**
 * Sends to all nodes at once, but at most four that handle it; the first success counts, else the first answer about
 * the transaction. Rate-limited nodes are left out unless no other node runs the chain.
 */
async function sendToAll(call: ForwardCall, members: readonly Member[], tx: SignedTransaction): Promise<RawResponse> {
  const now = Date.now()
  const progress: Progress = { looked: 0, maybeTaken: false, until: now + ALL_MS }
  await sendToEnough(
    call,
    members.filter((member) => member.pausedUntil() <= now),
    progress,
  )
  if (progress.looked === 0)
    await sendToEnough(
      call,
      members.filter((member) => member.pausedUntil() > now),
      progress,
    )
  const { word, refusedBy, maybeTaken } = progress
  if (!word) return lastWord(call, progress.last, progress.failure, members)
  return refusedBy && maybeTaken ? takenOr(word, refusedBy, call, tx) : word
}

/** Sends to as many nodes as needed until enough handle it: nodes that do not run the chain are replaced by others. */
async function sendToEnough(call: ForwardCall, members: readonly Member[], progress: Progress): Promise<void> {
  for (let at = 0; at < members.length && progress.looked < MAX_NODES && !progress.word; ) {
    const some = members.slice(at, at + MAX_NODES - progress.looked)
    at += some.length
    await sendToSome(call, some, progress)
  }
}

async function sendToSome(call: ForwardCall, members: readonly Member[], progress: Progress): Promise<void> {
  const answers = members.map((member) => send(member, call, progress.until))
  try {
    progress.word = await Promise.any(
      answers.map(async (answer) => {
        const response = await answer
        if (!isVerdict(call, response) || !isSuccess(response)) throw new Error('not taken')
        return response
      }),
    )
  } catch {
    for (const [index, one] of (await Promise.allSettled(answers)).entries())
      noteEnd(call, progress, one, members[index])
  }
}

function noteEnd(call: ForwardCall, progress: Progress, one: PromiseSettledResult<RawResponse>, member?: Member): void {
  if (one.status === 'fulfilled' && isUnheard(call, one.value)) {
    progress.last ??= one.value
    return
  }
  progress.looked += 1
  if (one.status === 'rejected') {
    progress.failure ??= one.reason
    progress.maybeTaken ||= !(one.reason instanceof UpstreamRateLimitedError)
  } else if (!isVerdict(call, one.value)) {
    progress.last = one.value
    progress.maybeTaken ||= !wasTurnedAway(one.value)
  } else if (!progress.word) {
    progress.word = one.value
    if (member) progress.refusedBy = member
  }
}

/**
 * Moves funds without a signed transaction: sent once, to a node that is not rate limited; to another node only when
 * the first refused it unread or does not run the chain.
 */
async function sendOnce(call: ForwardCall, group: NodeGroup, lacks: Lacks): Promise<RawResponse> {
  const response = await group.pool.exchange(requestOf(call, group.path(call.endpoint)), {
    idempotent: false,
    signal: call.signal,
    deadline: Date.now() + WRITE_MS,
    avoid: lacks,
    judge: (answer) => {
      const verdict = verdictOn(call, answer)
      const isUntouched = verdict.kind === 'retry' && (verdict.unheard === 'place' || wasTurnedAway(answer))
      return isUntouched ? { ...verdict, untouched: true } : verdict
    },
  })
  return wasTurnedAway(response) ? lastWord(call, response, undefined, []) : response
}

/**
 * Sends a write: signed transactions by the policy; anything else that moves funds to one node, never twice.
 * @param late which nodes are asked last, and of which a refusal may only be due to what they lack
 */
export function forwardWrite(
  call: ForwardCall,
  group: NodeGroup,
  policy: WritePolicy,
  late: { lacks: Lacks; isLate: Lacks },
): Promise<RawResponse> {
  const tx = transactionOf(call.method, call.params)
  if (!tx) return sendOnce(call, group, late.lacks)
  const own = withOwnBytes(call)
  return policy === 'all' ? sendToAll(own, group.members(), tx) : sendToOne(own, group, tx, late)
}

/**
 * Copies the bytes: after the first success is answered, the memory of a large body is reused by the next client while
 * other nodes are still being sent it.
 */
const withOwnBytes = (call: ForwardCall): ForwardCall => ({
  ...call,
  id: call.id && Buffer.from(call.id),
  http: { ...call.http, body: call.http.body && Buffer.from(call.http.body) },
})
