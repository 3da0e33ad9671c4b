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

/** HTTP errors of a request, checked in the node's order; undefined when its body should be read. */
export function refuseEvmHttp(exchange: Exchange): NodeAnswer | undefined {
  const { request, target } = exchange
  const { method } = request
  // Load balancers check like this whether the endpoint is up.
  if (method === 'GET' && !hasBody(exchange) && target.query.length <= 1) return emptyAnswer(200)
  if (method === 'PUT' || method === 'DELETE') return httpError(405, 'method not allowed')
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > EVM_BODY_LIMIT)
    return { ...httpError(413, `content length too large (${length}>${EVM_BODY_LIMIT})`), close: true }
  if (method === 'OPTIONS' || isEvmMediaType(headerOf(request, 'content-type'))) return undefined
  return httpError(415, 'invalid content type, only application/json is supported')
}

/** A body that was cut at the limit is parsed as far as it goes. */
const CUT_ANSWER: NodeAnswer = {
  status: 200,
  contentType: JSON_EVM,
  body: Buffer.from('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'),
  framing: 'length-first',
  close: true,
}

/** Answers that need no node: an empty or too large body; undefined for a body that needs an answer. */
export function answerOddBody(read: Exclude<ReadBody, { kind: 'gone' }>): NodeAnswer | undefined {
  if (read.kind === 'cut') return CUT_ANSWER
  if (skipSpace(read.body, 0) >= read.body.length) return { status: 200, contentType: JSON_EVM, body: EMPTY }
  if (hasManyMembers(read.body)) return tooManyMembers()
  return undefined
}
