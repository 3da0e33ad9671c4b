import { UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../errors.ts'
import type { AnswerVerdict, RawResponse } from '../../../upstream/index.ts'
import { successBody } from '../gorilla/answer.ts'
import { type ForwardCall, forwardHeaders } from './call.ts'
import { errorOf, judgeCall, judgeRpc, wasTurnedAway } from './judge.ts'
import { type Lacks, nextOf } from './next-node.ts'
import type { Member, NodeGroup } from './node-pools.ts'
import { type SignedTransaction, transactionOf } from './transaction-id.ts'

export type WritePolicy = 'one' | 'all'

/** Nodes that look at one write at most; those that do not run the chain, or are not ready, do not. */
const MAX_NODES = 4
/** Time for a write over all nodes, one node's share, and for the question whether it knows a transaction. Milliseconds. */
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

/** What the node said is about the transaction, not about the node. */
const isVerdict = (call: ForwardCall, response: RawResponse): boolean => verdictOn(call, response).kind === 'answer'
/** It did nothing with the transaction: it does not run the chain, or is not ready. */
const isUnheard = (call: ForwardCall, response: RawResponse): boolean => {
  const verdict = verdictOn(call, response)
  return verdict.kind === 'retry' && verdict.unheard === 'place'
}
/** However long the words are, a refusal is no success. */
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

/** The success that the lost first answer would have been, in the dialect of the one that came. */
function asTaken(response: RawResponse, call: ForwardCall, { result }: SignedTransaction): RawResponse {
  const id = call.id ?? NULL
  const body =
    call.endpoint.dialect === 'gorilla'
      ? successBody(result, id)
      : Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), id, Buffer.from(`,"result":${result}}\n`)])
  return { ...response, status: 200, body, headers: { ...response.headers, 'content-length': String(body.length) } }
}

/**
 * What a node says after another may have taken the transaction: "already known", "nonce too low", a consumed UTXO. Whatever
 * it is, what counts is whether it has this one.
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
 * One node after the other until one speaks about the transaction. After one that was cut or spoke no JSON-RPC, and so
 * may have taken the transaction unheard, a next one that knows it already has it from us. Who is asked next is decided
 * when it is needed: a node that has had too many requests must not be waited for while another is free.
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
 * What is left when no node spoke about the transaction. Words of a node in its own dialect about itself (it is
 * bootstrapping, lacks the method, is in trouble) are better than ours. That it wants a key or has had too many requests
 * is between it and this server: the client would take it for its own.
 */
function lastWord(
  call: ForwardCall,
  last: RawResponse | undefined,
  failure: unknown,
  members: readonly Member[],
): RawResponse {
  const verdict = last && verdictOn(call, last)
  // Who did not answer may be the one that runs the chain, and may have taken it.
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

/** Milliseconds until the first node that a rate limit keeps us from may be asked again; undefined = there is none. */
export function waitFor(members: readonly Member[]): number | undefined {
  const now = Date.now()
  const ends = members.map((member) => member.pausedUntil()).filter((end) => end > now)
  return ends.length === 0 ? undefined : Math.min(...ends) - now
}

/** What came of a write so far. */
interface Told {
  /** What counts: a success, else the first word about the transaction. */
  word?: RawResponse
  /** Whose word that is, where it is no success. */
  teller?: Member
  /** One that did not speak about it may have taken it. */
  maybeTaken: boolean
  last?: RawResponse
  failure?: unknown
  /** Nodes that looked at it, or may have. */
  looked: number
  /** Time for all of them. */
  readonly until: number
}

/**
 * All nodes at once, four at most that look at it; the first success counts, and if there is none the first that spoke
 * about the transaction. Those that a rate limit makes wait are left out, unless nobody else runs the chain.
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

/** To so many that enough look at it: others in place of those that do not run the chain. */
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
 * What moves funds without being a signed transaction: once, to whom a rate limit keeps nobody from; to another only
 * when the first has turned it away unread, or does not run the chain.
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

/** Sends a write: signed transactions as the policy says; whatever else moves funds to one node, never twice. */
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
 * With bytes that stay: the first success is the answer, and the memory of a large body is the next client's once that is
 * out, while other nodes are still sent it.
 */
const withOwnBytes = (call: ForwardCall): ForwardCall => ({
  ...call,
  id: call.id && Buffer.from(call.id),
  http: { ...call.http, body: call.http.body && Buffer.from(call.http.body) },
})
