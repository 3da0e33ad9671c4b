import { UpstreamRefusedError } from '../../errors.ts'
import { childTraceparent, currentTrace } from '../../lib/http/trace-context.ts'
import { mayJoin } from '../calls/flights.ts'
import type { Read } from '../calls/reader.ts'
import { readJsonBody } from '../json-rpc/rpc-message.ts'
import { judgeRefusal, judgeStatus, OUR_STANDING } from '../json-rpc/verdicts.ts'
import { checked, doubted, failed, type Outcome } from '../outcome.ts'
import type { CallOptions } from '../types.ts'
import type { Attempt } from './attempt.ts'
import { documentRequest } from './document-request.ts'
import type { WireAnswer } from './wire.ts'

const readDocument = (host: string, answer: WireAnswer): Outcome<unknown> => {
  const { status } = answer
  const trouble = judgeStatus(host, status, answer.headers['retry-after'], answer.body)
  if (trouble) return failed(trouble)
  if (status === 404) return { kind: 'answer', value: undefined }
  if (status >= 200 && status < 300) {
    const body = readJsonBody(host, answer)
    return body.ok ? { kind: 'answer', value: body.value } : body.outcome
  }
  const refused = judgeRefusal(host, status, answer.body, answer.headers['retry-after'])
  if (refused) return failed(refused)
  if (status < 400 || OUR_STANDING.has(status)) return failed({ host, kind: 'status', reason: `status ${status}` })
  const text = answer.body.toString('utf8', 0, 160).trim()
  return { kind: 'truth', error: new UpstreamRefusedError(`${host} status ${status}: ${text}`, status) }
}

/**
 * A caller who can check the answer knows that the question is valid as well: an upstream that refuses it is in trouble
 * itself, and is believed only when all upstreams refuse.
 */
const readFor = (host: string, answer: WireAnswer, check: CallOptions['check']): Outcome<unknown> => {
  const outcome = readDocument(host, answer)
  if (check !== undefined && outcome.kind === 'truth')
    return failed({ host, kind: 'status', reason: `status ${answer.status}`, fallback: outcome })
  return checked(host, outcome, check)
}

/** GET of a JSON document: 404 is undefined, any other 4xx about the document is UpstreamRefusedError. */
export const createJsonGetter =
  (deps: { attempt: Attempt; read: Read }) =>
  <T>(path: string, options: CallOptions = {}): Promise<T | undefined> => {
    const trace = currentTrace()
    return deps.read<T | undefined>(
      mayJoin(options) ? `GET ${path}` : undefined,
      'GET',
      options,
      (upstream, hedge, settle) => {
        const request = documentRequest(upstream, path)
        const traceparent = childTraceparent(trace)
        if (traceparent !== undefined) request.headers['traceparent'] = traceparent
        const read = (host: string, answer: WireAnswer) =>
          readFor(host, answer, options.check) as Outcome<T | undefined>
        const { signal: partOf, onSent, doubts } = options
        const plan = { request, read, calls: 1, hedge, parent: trace?.spanId, partOf, onSent }
        return deps.attempt(upstream, plan, (outcome) => settle(doubted(upstream.host, outcome, doubts)))
      },
    )
  }
