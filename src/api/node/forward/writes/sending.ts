import { UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../../errors.ts'
import type { AnswerVerdict, RawResponse } from '../../../../upstream/index.ts'
import { successBody } from '../../gorilla/answer.ts'
import { type ForwardCall, JSON_HEADERS, requestOf } from '../call.ts'
import { errorOf, judgeCall, judgeRpc } from '../judge.ts'
import type { Member } from '../nodes/node-pools.ts'
import type { SignedTransaction } from './transaction-id.ts'

/** Maximum number of nodes that handle one write; those that do not run the chain or are not ready do not count. */
export const MAX_NODES = 4
/** Time for a write over all nodes, for one node, and for asking whether a node knows a transaction. Milliseconds. */
export const ALL_MS = 30_000
export const WRITE_MS = 20_000
const KNOWN_MS = 5_000

export const verdictOn = (call: ForwardCall, response: RawResponse): AnswerVerdict =>
  (call.id === undefined ? judgeRpc(call.http.body) : judgeCall(call.id, call.http.body))(response)

export const send = (member: Member, call: ForwardCall, until = Number.POSITIVE_INFINITY): Promise<RawResponse> =>
  member.pool.exchange(requestOf(call, member.path(call.endpoint)), {
    idempotent: false,
    signal: call.signal,
    deadline: Math.min(Date.now() + WRITE_MS, until),
    judge: (response) => verdictOn(call, response),
  })

/** The response is about the transaction, not about the node. */
export const isVerdict = (call: ForwardCall, response: RawResponse): boolean =>
  verdictOn(call, response).kind === 'answer'
/** The node did not touch the transaction: it does not run the chain, or is not ready. */
export const isUnheard = (call: ForwardCall, response: RawResponse): boolean => {
  const verdict = verdictOn(call, response)
  return verdict.kind === 'retry' && verdict.unheard === 'place'
}
/** A long error is still not a success. */
export const isSuccess = ({ status, body }: RawResponse): boolean =>
  status === 200 && body.length > 0 && errorOf(body, body.length) === undefined

async function isKnown(member: Member, call: ForwardCall, { known }: SignedTransaction): Promise<boolean> {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${known.method}","params":${known.params}}`
  try {
    const response = await member.pool.exchange(
      {
        method: 'POST',
        path: member.path(known.at ?? call.endpoint),
        headers: JSON_HEADERS,
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
export async function takenOr(
  response: RawResponse,
  member: Member,
  call: ForwardCall,
  tx: SignedTransaction,
): Promise<RawResponse> {
  if (isSuccess(response) || call.id === undefined) return response
  return (await isKnown(member, call, tx)) ? asTaken(response, call, tx) : response
}

/**
 * The answer when no node answered about the transaction. A node's own error about itself (bootstrapping, method
 * missing, internal trouble) is better than ours. A missing key or a rate limit concerns only the node and this server:
 * the client would look for it in its own request.
 */
export function lastWord(
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
