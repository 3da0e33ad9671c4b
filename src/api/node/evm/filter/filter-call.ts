import { OverloadedError, UpstreamRateLimitedError } from '../../../../errors.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { type Judge, judgeCall, judgeRpc } from '../../forward/judge.ts'
import type { Member } from '../../forward/nodes/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { bodyOf, EVM_CODES, errorEntry, resultEntry, resultOf } from '../answers.ts'
import { type EvmCall, evmRequest } from '../call.ts'

/** Ids of nodes are 16 bytes in hex; other servers use longer ones. */
const MAX_ID = 130
const NOT_FOUND = 'filter not found'

export const textOf = (value: Buffer | undefined): string | undefined =>
  value && value[0] === 0x22 && value.length <= MAX_ID ? value.toString('latin1', 1, value.length - 1) : undefined

const judgeOf = ({ message: { id }, body }: EvmCall): Judge => (id === undefined ? judgeRpc(body) : judgeCall(id, body))

/**
 * Sends a call to one node.
 * @throws UpstreamRateLimitedError also for the page by which a node, or something in front of it, turns calls away.
 */
export const exchange = async (member: Member, call: EvmCall): Promise<RawResponse> => {
  const { endpoint, signal, deadline } = call
  const judge = judgeOf(call)
  const request = evmRequest(call, member.path(endpoint))
  const response = await member.pool.exchange(request, { idempotent: false, signal, deadline, judge })
  const verdict = judge(response)
  if (verdict.kind === 'retry' && verdict.rateLimited && !isOwnWord(response))
    throw new UpstreamRateLimitedError(`${call.message.method}: ${verdict.reason}`, verdict.retryAfterMs)
  return response
}

/** Another call of the same client, with the same id. @param params JSON in latin1 */
export function callOf(call: EvmCall, method: string, params: string): EvmCall {
  const [id, bytes] = [call.message.id ?? Buffer.from('1'), Buffer.from(params, 'latin1')]
  const body = Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","id":`),
    id,
    Buffer.from(`,"method":"${method}","params":`),
    bytes,
    Buffer.from('}'),
  ])
  return { ...call, body, contentType: 'application/json', message: { ...call.message, method, id, params: bytes } }
}

/** The call has not reached the node, which still has what it had. */
export const isTurnedAway = (error: unknown): boolean =>
  error instanceof UpstreamRateLimitedError || error instanceof OverloadedError

export const isAnswer = (call: EvmCall, response: RawResponse): boolean => judgeOf(call)(response).kind === 'answer'

/** Any error in a node's own dialect is passed on, because it says more than ours; a page of a proxy is not. */
export const isOwnWord = ({ status, body }: RawResponse): boolean =>
  status === 200 && body[0] === 0x7b && resultOf(body) === undefined

/** The node does not run the chain, or not yet: it says nothing of filters. */
export const hasNoChain = (call: EvmCall, response: RawResponse): boolean => {
  const verdict = judgeOf(call)(response)
  return verdict.kind === 'retry' && verdict.unheard === 'place'
}

/** A node's answer about a filter that it does not have. */
export const unknownFilter = ({ message }: EvmCall): NodeAnswer =>
  bodyOf(
    message.method === 'eth_uninstallFilter'
      ? resultEntry(message.id, 'false')
      : errorEntry(message.id, EVM_CODES.server, NOT_FOUND),
  )

export const saysUnknown = ({ message }: EvmCall, body: Buffer): boolean =>
  message.method === 'eth_uninstallFilter'
    ? resultOf(body)?.toString('latin1') === 'false'
    : body.length < 1_000 && body.includes(NOT_FOUND)
