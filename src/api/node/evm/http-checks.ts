import { emptyAnswer, httpError, JSON_EVM, type NodeAnswer } from '../http/answer.ts'
import { type ReadBody, tooManyMembers } from '../http/body.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import { isEvmMediaType } from '../http/media-type.ts'
import { hasManyMembers } from '../json/many-members.ts'
import { skipSpace } from '../json/validate.ts'

/** Largest body of an EVM endpoint, bytes (geth's limit, as nodes have it). */
export const EVM_BODY_LIMIT = 5_242_880

const EMPTY = Buffer.alloc(0)

const hasBody = ({ request }: Exchange): boolean =>
  request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0'

/** What is wrong with the HTTP side of a request, in the node's order; undefined when its body is to be read. */
export function refuseEvmHttp(exchange: Exchange): NodeAnswer | undefined {
  const { request, target } = exchange
  const { method } = request
  // Load balancers ask like this whether the endpoint lives.
  if (method === 'GET' && !hasBody(exchange) && target.query.length <= 1) return emptyAnswer(200)
  if (method === 'PUT' || method === 'DELETE') return httpError(405, 'method not allowed')
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > EVM_BODY_LIMIT)
    return { ...httpError(413, `content length too large (${length}>${EVM_BODY_LIMIT})`), close: true }
  if (method === 'OPTIONS' || isEvmMediaType(headerOf(request, 'content-type'))) return undefined
  return httpError(415, 'invalid content type, only application/json is supported')
}

/** A body that was cut at the limit is read as what is left of it. */
const CUT_ANSWER: NodeAnswer = {
  status: 200,
  contentType: JSON_EVM,
  body: Buffer.from('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'),
  framing: 'length-first',
  close: true,
}

/** What needs no node: nothing in the body, or more than fits; undefined for a body that is to be answered. */
export function answerOddBody(read: Exclude<ReadBody, { kind: 'gone' }>): NodeAnswer | undefined {
  if (read.kind === 'cut') return CUT_ANSWER
  if (skipSpace(read.body, 0) >= read.body.length) return { status: 200, contentType: JSON_EVM, body: EMPTY }
  if (hasManyMembers(read.body)) return tooManyMembers()
  return undefined
}
