import { UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../../errors.ts'
import type { AnswerVerdict, RawResponse } from '../../../../upstream/index.ts'
import { successBody } from '../../gorilla/answer.ts'
import { type ForwardCall, forwardHeaders } from '../call.ts'
import { errorOf, judgeCall, judgeRpc, wasTurnedAway } from '../judge.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import { type Lacks, nextOf } from './next-node.ts'
import { type SignedTransaction, transactionOf } from './transaction-id.ts'

export type WritePolicy = 'one' | 'all'

/** Maximum number of nodes that handle one write; those that do not run the chain or are not ready do not count. */
const MAX_NODES = 4
/** Time for a write over all nodes, for one node, and for asking whether a node knows a transaction. Milliseconds. */
const ALL_MS = 30_000
const WRITE_MS = 20_000
const KNOWN_MS = 5_000

const verdictOn = (call: ForwardCall, response: RawResponse): AnswerVerdict =>
  (call.id === undefined ? judgeRpc(call.http.body) : judgeCall(call.id, call.http.body))(response)

const send = (member: Member, call: ForwardCall, until = Number.POSITIVE_INFINITY): Promise<RawResponse> =>
  member.pool.exchange(
    {
      method: 'POST',
      path: member.path(call.endpoint),
      headers: forwardHeaders(call.http),
      ...(call.http.body ? { body: call.http.body } : {}),
    },
    {
      idempotent: false,
      signal: call.signal,
      deadline: Math.min(Date.now() + WRITE_MS, until),
      judge: (response) => verdictOn(call, response),
    },
  )

/** The response is about the transaction, not about the node. */
const isVerdict = (call: ForwardCall, response: RawResponse): boolean => verdictOn(call, response).kind === 'answer'
/** The node did not touch the transaction: it does not run the chain, or is not ready. */
const isUnheard = (call: ForwardCall, response: RawResponse): boolean => {
  const verdict = verdictOn(call, response)
  return verdict.kind === 'retry' && verdict.unheard === 'place'
}
/** A long error is still not a success. */
const isSuccess = ({ status, body }: RawResponse): boolean =>
  status === 200 && body.length > 0 && errorOf(body, body.length) === undefined

async function isKnown(member: Member, call: ForwardCall, { known }: SignedTransaction): Promise<boolean> {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${known.method}","params":${known.params}}`
  try {
    const response = await member.pool.exchange(
      {
        method: 'POST',
        path: member.path(known.at ?? call.endpoint),
        headers: { 'content-type': 'application/json' },
        body,
      },
      { signal: call.signal, deadline: Date.now() + KNOWN_MS },
    )
    return known.answer.test(response.body.toString('latin1'))
  } catch {
    return false
  }
}

const NULL = Buffer.from('null')

/** The success that the lost first answer would have been, in the dialect of this answer. */
function asTaken(response: RawResponse, call: ForwardCall, { result }: SignedTransaction): RawResponse {
  const id = call.id ?? NULL
  const body =
    call.endpoint.dialect === 'gorilla'
      ? successBody(result, id)
      : Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), id, Buffer.from(`,"result":${result}}\n`)])
  return { ...response, status: 200, body, headers: { ...response.headers, 'content-length': String(body.length) } }
}

/**
 * Interprets an error after another node may have accepted the transaction: "already known", "nonce too low", a
 * consumed UTXO. In any case, what counts is whether the node has this transaction.
 */
async function takenOr(
  response: RawResponse,
  member: Member,
  call: ForwardCall,
  tx: SignedTransaction,
): Promise<RawResponse> {
  if (isSuccess(response) || call.id === undefined) return response
  return (await isKnown(member, call, tx)) ? asTaken(response, call, tx) : response
}

/**
 * Tries one node after the other until one answers about the transaction. After a node that disconnected or did not
 * answer in JSON-RPC, and so may have accepted the transaction, a later node that knows it already has it from us. The
 * next node is chosen when needed: a rate-limited node must not be waited for while another is free.
 */
async function sendToOne(
  call: ForwardCall,
  group: NodeGroup,
  tx: SignedTransaction,
  lacks: Lacks,
): Promise<RawResponse> {
  let failure: unknown
  let last: RawResponse | undefined
  let maybeTaken = false
  const until = Date.now() + ALL_MS
  const asked = new Set<Member>()
  for (let looked = 0; looked < MAX_NODES; looked += 1) {
    const member = nextOf(group, asked, lacks)
    if (!member) break
    asked.add(member)
    try {
      const response = await send(member, call, until)
      if (isUnheard(call, response)) {
        last ??= response
        looked -= 1
        continue
      }
      if (!isVerdict(call, response)) last = response
      else return maybeTaken ? await takenOr(response, member, call, tx) : response
      maybeTaken ||= !wasTurnedAway(response)
    } catch (error) {
      if (call.signal.aborted) throw error
      failure = error
      maybeTaken ||= !(error instanceof UpstreamRateLimitedError)
    }
  }
  return lastWord(call, last, failure, group.members())
}

/**
 * The answer when no node answered about the transaction. A node's own error about itself (bootstrapping, method
 * missing, internal trouble) is better than ours. A missing key or a rate limit concerns only the node and this server:
 * the client would look for it in its own request.
 */
function lastWord(
  call: ForwardCall,
  last: RawResponse | undefined,
  failure: unknown,
  members: readonly Member[],
): RawResponse {
  const verdict = last && verdictOn(call, last)
  // A node that did not answer may be the one that runs the chain, and may have accepted it.
  const isLess = failure !== undefined && last !== undefined && isUnheard(call, last)
  if (last && verdict?.kind === 'retry' && !isLess) {
    if (verdict.behind || (last.status >= 500 && errorOf(last.body))) return last
    const { rateLimited, retryAfterMs, reason } = verdict
    if (rateLimited) throw new UpstreamRateLimitedError(`${call.method}: ${reason}`, waitFor(members) ?? retryAfterMs)
  }
  if (failure instanceof UpstreamRateLimitedError)
    throw new UpstreamRateLimitedError(failure.message, waitFor(members) ?? failure.retryAfterMs)
  throw failure ?? new UpstreamUnavailableError(`${call.method}: no node took the transaction`)
}

/** Milliseconds until the first rate-limited node may be asked again; undefined = none is rate limited. */
export function waitFor(members: readonly Member[]): number | undefined {
  const now = Date.now()
  const ends = members.map((member) => member.pausedUntil()).filter((end) => end > now)
  return ends.length === 0 ? undefined : Math.min(...ends) - now
}

/** The state of a write so far. */
interface Told {
  /** The answer so far: a success, else the first answer about the transaction. */
  word?: RawResponse
  /** The node that gave it, if it is not a success. */
  teller?: Member
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
  const told: Told = { looked: 0, maybeTaken: false, until: now + ALL_MS }
  await sendToEnough(
    call,
    members.filter((member) => member.pausedUntil() <= now),
    told,
  )
  if (told.looked === 0)
    await sendToEnough(
      call,
      members.filter((member) => member.pausedUntil() > now),
      told,
    )
  const { word, teller, maybeTaken } = told
  if (!word) return lastWord(call, told.last, told.failure, members)
  return teller && maybeTaken ? takenOr(word, teller, call, tx) : word
}

/** Sends to as many nodes as needed until enough handle it: nodes that do not run the chain are replaced by others. */
async function sendToEnough(call: ForwardCall, members: readonly Member[], told: Told): Promise<void> {
  for (let at = 0; at < members.length && told.looked < MAX_NODES && !told.word; ) {
    const some = members.slice(at, at + MAX_NODES - told.looked)
    at += some.length
    await sendToSome(call, some, told)
  }
}

async function sendToSome(call: ForwardCall, members: readonly Member[], told: Told): Promise<void> {
  const answers = members.map((member) => send(member, call, told.until))
  try {
    told.word = await Promise.any(
      answers.map(async (answer) => {
        const response = await answer
        if (!isVerdict(call, response) || !isSuccess(response)) throw new Error('not taken')
        return response
      }),
    )
  } catch {
    for (const [index, one] of (await Promise.allSettled(answers)).entries()) noteTold(call, told, one, members[index])
  }
}

function noteTold(call: ForwardCall, told: Told, one: PromiseSettledResult<RawResponse>, member?: Member): void {
  if (one.status === 'fulfilled' && isUnheard(call, one.value)) {
    told.last ??= one.value
    return
  }
  told.looked += 1
  if (one.status === 'rejected') {
    told.failure ??= one.reason
    told.maybeTaken ||= !(one.reason instanceof UpstreamRateLimitedError)
  } else if (!isVerdict(call, one.value)) {
    told.last = one.value
    told.maybeTaken ||= !wasTurnedAway(one.value)
  } else if (!told.word) {
    told.word = one.value
    if (member) told.teller = member
  }
}

/**
 * Moves funds without a signed transaction: sent once, to a node that is not rate limited; to another node only when
 * the first refused it unread or does not run the chain.
 */
async function sendOnce(call: ForwardCall, group: NodeGroup, lacks: Lacks): Promise<RawResponse> {
  const response = await group.pool.exchange(
    {
      method: 'POST',
      path: group.path(call.endpoint),
      headers: forwardHeaders(call.http),
      ...(call.http.body ? { body: call.http.body } : {}),
    },
    {
      idempotent: false,
      signal: call.signal,
      deadline: Date.now() + WRITE_MS,
      avoid: lacks,
      judge: (answer) => {
        const verdict = verdictOn(call, answer)
        const isUntouched = verdict.kind === 'retry' && (verdict.unheard === 'place' || wasTurnedAway(answer))
        return isUntouched ? { ...verdict, untouched: true } : verdict
      },
    },
  )
  return wasTurnedAway(response) ? lastWord(call, response, undefined, []) : response
}

/** Sends a write: signed transactions by the policy; anything else that moves funds to one node, never twice. */
export function forwardWrite(
  call: ForwardCall,
  group: NodeGroup,
  policy: WritePolicy,
  lacks: Lacks,
): Promise<RawResponse> {
  const tx = transactionOf(call.method, call.params)
  if (!tx) return sendOnce(call, group, lacks)
  return policy === 'all' ? sendToAll(withOwnBytes(call), group.members(), tx) : sendToOne(call, group, tx, lacks)
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
