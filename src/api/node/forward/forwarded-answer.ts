import { CancelledError, FirnError, OverloadedError, UpstreamRateLimitedError } from '../../../errors.ts'
import { goJson } from '../../../lib/json/go-json.ts'
import { StoreLateError, StoreLockedError, StoreUnavailableError } from '../../../store/index.ts'
import type { RawResponse } from '../../../upstream/index.ts'
import { EVM_CODES } from '../evm/answers.ts'
import { errorBody, GORILLA_CODES } from '../gorilla/answer.ts'
import { JSON_EVM, JSON_GORILLA, type NodeAnswer, notFound, plainText } from '../http/answer.ts'
import type { Dialect } from '../routes/endpoint.ts'

const only = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header)

const firstName = (headers: RawResponse['headers']): string | undefined => {
  for (const name in headers) return name
  return undefined
}

/** Headers of a node that matter to a client, in addition to those of every answer. */
const PASSED = [
  ['retry-after', 'Retry-After'],
  ['content-encoding', 'Content-Encoding'],
  ['location', 'Location'],
] as const

/** A node's answer with its status, type and bytes; its other headers belong to its own connection. */
export function answerOf(response: RawResponse): NodeAnswer {
  const { status, headers, body } = response
  // Servers in front of a node rewrite this body; the node has one fixed text.
  if (status === 404) return notFound()
  const answer: NodeAnswer = { status, body }
  const contentType = only(headers['content-type'])
  if (contentType !== undefined) answer.contentType = contentType
  if (headers['x-content-type-options'] !== undefined) answer.nosniff = true
  const nodeId = only(headers['node-id'])
  if (nodeId !== undefined) answer.nodeId = nodeId
  if (headers['content-length'] === undefined) answer.framing = 'chunked'
  else answer.framing = firstName(headers) === 'content-length' ? 'length-first' : 'length'
  for (const [name, written] of PASSED) {
    const value = only(headers[name])
    if (value !== undefined) answer.extra = { ...answer.extra, [written]: value }
  }
  return answer
}

const retryAfter = (error: unknown): { extra?: Record<string, string> } => {
  if (!(error instanceof FirnError) || !error.retryable) return {}
  const ms = error instanceof UpstreamRateLimitedError ? (error.retryAfterMs ?? 1_000) : 1_000
  return { extra: { 'Retry-After': String(Math.max(1, Math.ceil(ms / 1_000))) } }
}

/** No node is asked for aliases, users of the keystore and the own containers: it is the database that has to be looked at. */
const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailableError || error instanceof StoreLockedError

function messageOf(error: unknown, status: number): string {
  if (error instanceof OverloadedError) return error.message
  if (error instanceof StoreLateError) return 'the database did not answer in time'
  if (isStoreAway(error)) return 'the database is away'
  return status === 504 ? 'no node answered in time' : status === 500 ? 'internal error' : 'no node answered'
}

const NULL = Buffer.from('null')

/**
 * No node answered. The status is 502, 503 or 504, never 200: wallets take a JSON-RPC error with status 200 as a fact
 * about the chain (a transaction refused, a call reverted), while ethers and avalanchejs treat these statuses as server
 * trouble. The body is still an error object of the dialect, for clients that look at bodies first, as viem does: to it
 * -32000 is invalid input, for which it gives up a filter and tries nothing again, and -32603 is server trouble.
 */
export function failureAnswer(error: unknown, dialect: Dialect, id: Buffer | undefined): NodeAnswer | undefined {
  if (error instanceof CancelledError) return undefined
  const status = error instanceof FirnError && error.status >= 500 ? error.status : 500
  const message = messageOf(error, status)
  const rest = { status, nosniff: true, framing: 'length', ...retryAfter(error) } as const
  if (dialect === 'gorilla')
    return { ...rest, contentType: JSON_GORILLA, body: errorBody(GORILLA_CODES.server, message, id) }
  if (dialect !== 'evm') return { ...rest, ...plainText(status, `${message}\n`) }
  const body = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id ?? NULL,
    Buffer.from(`,"error":{"code":${EVM_CODES.internal},"message":${goJson(message)}}}\n`),
  ])
  return { ...rest, contentType: JSON_EVM, body }
}
