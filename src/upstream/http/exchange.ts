import type { IncomingHttpHeaders } from 'node:http'
import { childTraceparent, currentTrace } from '../../lib/http/trace-context.ts'
import type { Read } from '../calls/reader.ts'
import { judgeStatus } from '../json-rpc/verdicts.ts'
import { failed, type Outcome } from '../outcome.ts'
import type { AnswerVerdict, RawResponse, UpstreamPool } from '../types.ts'
import type { Attempt } from './attempt.ts'
import { endToEndHeaders, HOP_BY_HOP } from './target.ts'
import type { WireAnswer } from './wire.ts'

/** The server had no time for the request, as with 5xx. */
const TIMEOUT = 408

const responseHeaders = (headers: IncomingHttpHeaders): Record<string, string | string[]> => {
  // undici makes a fresh object per answer: deleting members is cheaper than copying the rest.
  for (const name of HOP_BY_HOP) if (headers[name] !== undefined) delete headers[name]
  return headers as Record<string, string | string[]>
}

const readRaw = (
  host: string,
  answer: WireAnswer,
  idempotent: boolean,
  judge: ((response: RawResponse) => AnswerVerdict) | undefined,
): Outcome<RawResponse> => {
  const { status, body } = answer
  const retryAfter = answer.headers['retry-after']
  const response = { status, headers: responseHeaders(answer.headers), body, host }
  const value: Outcome<RawResponse> = { kind: 'answer', value: response }
  const verdict = judge?.(response)
  if (verdict?.kind === 'answer') return value
  if (verdict?.kind === 'retry') {
    const kind = verdict.rateLimited ? 'rate-limited' : verdict.behind ? 'behind' : verdict.blameless ? 'rpc' : 'status'
    return failed({
      host,
      kind,
      reason: verdict.reason,
      ...(verdict.retryAfterMs === undefined ? {} : { retryAfterMs: verdict.retryAfterMs }),
      // A write may have been carried out, so the answer to it is final, whatever it says.
      ...((verdict.behind && !verdict.withhold) || !idempotent ? { fallback: value } : {}),
      ...(verdict.unheard ? { unheard: verdict.unheard } : {}),
      ...(verdict.untouched ? { neverSent: true } : {}),
      ...(kind === 'status' && status < 500 && status !== TIMEOUT ? { refused: true, blamesCall: status >= 400 } : {}),
    })
  }
  const trouble = judgeStatus(host, status, retryAfter)
  if (!trouble) return value
  return failed(idempotent ? trouble : { ...trouble, fallback: value })
}

/**
 * Bytes in, bytes out. The body is returned exactly as it was sent: nothing is decompressed, and compression is
 * requested only if the caller's own headers do so. When every upstream is behind, the result is the answer of the last
 * one that looked into the question, else of the last one that lacks the method, else of the last; answers that the
 * verdict withholds are none.
 */
export const createExchange =
  (deps: { attempt: Attempt; read: Read }): UpstreamPool['exchange'] =>
  (request, options = {}) => {
    const own = endToEndHeaders(request.headers ?? {})
    own['accept-encoding'] ??= 'identity'
    const trace = currentTrace()
    const idempotent = options.idempotent !== false
    const read = (host: string, answer: WireAnswer) => readRaw(host, answer, idempotent, options.judge)
    return deps.read<RawResponse>(undefined, request.method, options, (upstream, hedge, settle) => {
      const traceparent = childTraceparent(trace)
      const named = traceparent === undefined ? own : { ...own, traceparent }
      const headers = upstream.ownHeaders ? { ...named, ...upstream.headers } : named
      const path = upstream.path(request.path)
      const wire = { method: request.method, path, headers, body: request.body, decode: false }
      // A caller waits for nothing but this exchange, so it is no part of a reading.
      const plan = {
        request: wire,
        read,
        calls: 1,
        hedge,
        parent: trace?.spanId,
        onSent: options.onSent,
        anyLength: true,
        keepsRoom: options.keepsRoom === true,
      }
      return deps.attempt(upstream, plan, settle)
    })
  }
