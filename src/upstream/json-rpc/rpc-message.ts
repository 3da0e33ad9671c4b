import { parseJson } from '../../lib/json/json.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import type { WireAnswer } from '../http/wire.ts'
import { type Failure, failed, NOTHING_THERE, type Outcome } from '../outcome.ts'
import { judgeRefusal, judgeRpcError, judgeStatus, type RpcErrorBody } from './verdicts.ts'

/** One JSON-RPC entry; `params` is JSON text, undefined = left out. */
export interface RpcEntry {
  method: string
  params: string | undefined
}

/** Text of one entry. Ids are positions: each HTTP request numbers its own entries. */
export const writeEntry = (entry: RpcEntry, id: number): string =>
  entry.params === undefined
    ? `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(entry.method)}}`
    : `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(entry.method)},"params":${entry.params}}`

const errorBody = (value: unknown): RpcErrorBody | undefined => {
  if (typeof value === 'string') return { code: -32603, message: value }
  if (!isRecord(value)) return undefined
  const code = typeof value['code'] === 'number' ? value['code'] : -32603
  const message = typeof value['message'] === 'string' ? value['message'] : `error ${code}`
  return { code, message, data: value['data'] }
}

/** Reads one entry of an answer: its result, its error, or that it is not JSON-RPC. `status`: the HTTP status. */
export const readEntry = (host: string, value: unknown, status = 200): Outcome<unknown> => {
  if (!isRecord(value)) return failed({ host, kind: 'bad-answer', reason: 'no JSON-RPC object' })
  // Old servers send `error: null` along with a result.
  const error = value['error'] === undefined || value['error'] === null ? undefined : errorBody(value['error'])
  if (error) return judgeRpcError(host, error, status)
  if (!('result' in value)) return failed({ host, kind: 'bad-answer', reason: 'neither result nor error' })
  return { kind: 'answer', value: value['result'] }
}

/** The id of a call that is sent alone. */
const ALONE = 1

/**
 * An answer under another id belongs to somebody else's request; the server, or a cache in front of it, mixed them up.
 * A missing or null id is accepted: a lone answer belongs to its request anyway, and the standard demands null in
 * errors about broken requests.
 */
const answersAnother = (value: unknown): boolean => {
  const id = isRecord(value) ? value['id'] : undefined
  return id !== undefined && id !== null && id !== ALONE && id !== String(ALONE)
}

export type ReadBody = { ok: true; value: unknown } | { ok: false; outcome: Outcome<never> }

/** Parses the body of an answer that should be JSON. */
export const readJsonBody = (host: string, answer: WireAnswer): ReadBody => {
  try {
    return { ok: true, value: parseJson(answer.body.toString('utf8')) }
  } catch {
    const type = String(answer.headers['content-type'] ?? 'no content type').slice(0, 60)
    return { ok: false, outcome: failed({ host, kind: 'bad-answer', reason: `not JSON (${type})` }) }
  }
}

/** The request is larger than this upstream takes. */
const TOO_LARGE = 413

/**
 * The failure for a status without a readable body: an upstream with nothing at this path is the wrong one to ask. What
 * is too large for one is too large a moment later, and another may take it; nothing is wrong with the upstream.
 */
export const unreadStatus = (host: string, status: number): Failure<never> => ({
  host,
  kind: status === TOO_LARGE ? 'rpc' : 'status',
  reason: `status ${status}`,
  ...(status === NOTHING_THERE ? { unheard: 'place' } : {}),
})

/**
 * Reads the answer to a single call. Some servers send JSON-RPC errors with an HTTP error status: then the body
 * decides; with 5xx only if it says more than the status.
 */
export const readSingle = (host: string, answer: WireAnswer): Outcome<unknown> => {
  const { status } = answer
  const trouble = judgeStatus(host, status, answer.headers['retry-after'], answer.body)
  if (trouble?.kind === 'rate-limited') return failed(trouble)
  const body = readJsonBody(host, answer)
  if (body.ok && answersAnother(body.value)) {
    const outcome = readEntry(host, body.value)
    // A server that refuses calls for their number may not have read the id.
    if (outcome.kind === 'failure' && outcome.failure.kind === 'rate-limited') return outcome
    return failed({ host, kind: 'bad-answer', reason: 'answer to another id' })
  }
  if (status >= 200 && status < 300) return body.ok ? readEntry(host, body.value) : body.outcome
  if (body.ok && isRecord(body.value) && body.value['error'] !== undefined) {
    const outcome = readEntry(host, body.value, status)
    if (!trouble || outcome.kind !== 'answer') return outcome
  }
  const refused = judgeRefusal(host, status, answer.body, answer.headers['retry-after'])
  return failed(trouble ?? refused ?? unreadStatus(host, status))
}
