import { isRecord } from '../../lib/json/json-record.ts'
import type { WireAnswer } from '../http/wire.ts'
import { type FailureKind, failed, type Outcome } from '../outcome.ts'
import { accessOf } from './error-texts.ts'
import { readEntry, readJsonBody, unreadStatus } from './rpc-message.ts'
import { judgeRefusal, judgeStatus } from './verdicts.ts'

/** What the answer to a batch says. `refused` and `too-many` are about batching itself, not about the entries. */
export type BatchReading =
  | { kind: 'entries'; outcomes: Outcome<unknown>[] }
  | { kind: 'refused' }
  /** `most`: how many entries the server takes, if it says so. */
  | { kind: 'too-many'; most?: number }

/** Statuses with which servers refuse a form of request that they do not know. */
const REFUSING_STATUS = new Set([400, 403, 405, 406, 411, 415, 422, 501])
const TOO_MANY_TEXT =
  /batch.{0,60}(size|large|limit|many|max|exceed|more than)|too many.{0,40}batch|(max|exceed|more than).{0,40}batch/i
/** "Batch of more than 3 requests", "maximum of 10 calls in one batch". */
const MOST_TEXT = /(?:more than|max(?:imum)?|limit)[a-z ]{0,20}?:? ?(\d{1,4})\b/i
/** geth and its forks answer the entries beyond their response size limit with this. */
const TOO_BIG_TEXT = /response.{0,20}too large|response size.{0,20}exceed|batch response/i

const answer = (reading: BatchReading): Outcome<BatchReading> => ({ kind: 'answer', value: reading })

const refusal = (text: string): Outcome<BatchReading> => {
  if (!TOO_MANY_TEXT.test(text)) return answer({ kind: 'refused' })
  const most = Number(MOST_TEXT.exec(text)?.[1] ?? 0)
  return answer(most > 0 ? { kind: 'too-many', most } : { kind: 'too-many' })
}

/** geth and its forks report an error about the whole batch in one entry, under the id of the first call. */
const speaksOfBatch = (list: unknown[]): boolean => {
  const [only] = list
  if (list.length !== 1 || !isRecord(only) || !isRecord(only['error'])) return false
  return TOO_MANY_TEXT.test(String(only['error']['message']))
}

/** The server grants us no access at all, and says so for each entry. */
const isClosed = (outcome: Outcome<unknown> | undefined): boolean =>
  outcome?.kind === 'failure' && outcome.failure.kind === 'status'

const readArray = (host: string, list: unknown[], count: number): Outcome<BatchReading> => {
  if (speaksOfBatch(list)) return answer({ kind: 'too-many' })
  const outcomes = new Array<Outcome<unknown> | undefined>(count)
  for (const item of list) {
    const id = isRecord(item) ? Number(item['id']) : Number.NaN
    if (!Number.isInteger(id) || id < 1 || id > count) continue
    // Of two answers nobody can tell which is true.
    outcomes[id - 1] = outcomes[id - 1]
      ? failed({ host, kind: 'bad-answer', reason: 'entry answered twice in batch' })
      : readEntry(host, item)
  }
  if (outcomes.every((outcome) => outcome === undefined)) {
    const said = list.find(isRecord)
    return refusal(said === undefined ? '' : JSON.stringify(said['error'] ?? '').slice(0, 500))
  }
  const [first] = outcomes
  if (first?.kind === 'failure' && outcomes.every(isClosed))
    return failed({ host, kind: 'status', reason: first.failure.reason })
  const missing: Outcome<unknown> = failed({ host, kind: 'bad-answer', reason: 'entry missing in batch answer' })
  return answer({ kind: 'entries', outcomes: Array.from(outcomes, (outcome) => outcome ?? missing) })
}

/** Failures of the server itself that it reports instead of an array: each entry would get the same. */
const OWN_TROUBLE: ReadonlySet<FailureKind> = new Set(['rate-limited', 'rpc', 'status'])

/** A single object instead of an array: the server's own trouble applies to all entries, anything else to batching. */
const readObject = (host: string, value: unknown): Outcome<BatchReading> => {
  const outcome = readEntry(host, value)
  if (outcome.kind === 'truth') return refusal(outcome.error.message)
  if (outcome.kind === 'answer' || !OWN_TROUBLE.has(outcome.failure.kind)) return refusal('')
  const { kind, reason, retryAfterMs } = outcome.failure
  if (/batch/i.test(reason)) return refusal(reason)
  return failed({ host, kind, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) })
}

/** Reads the answer to a batch of `count` (2 or more) entries with ids 1 to `count`. */
export const readBatch = (host: string, wire: WireAnswer, count: number): Outcome<BatchReading> => {
  const { status } = wire
  const trouble = judgeStatus(host, status, wire.headers['retry-after'], wire.body)
  if (status === 413) return answer({ kind: 'too-many' })
  const text = wire.body.toString('utf8', 0, 500)
  if (trouble && !REFUSING_STATUS.has(status)) {
    // Some providers refuse batches with status 500.
    return trouble.kind === 'status' && TOO_MANY_TEXT.test(text) ? refusal(text) : failed(trouble)
  }
  const limited = judgeRefusal(host, status, wire.body, wire.headers['retry-after'])
  if (limited && !TOO_MANY_TEXT.test(text)) return failed(limited)
  if (status === 403 && accessOf(text) === 'closed') return failed({ host, kind: 'status', reason: `status ${status}` })
  if (REFUSING_STATUS.has(status)) return refusal(text)
  if (status < 200 || status >= 300) return failed(unreadStatus(host, status))
  const body = readJsonBody(host, wire)
  if (!body.ok) return body.outcome
  return Array.isArray(body.value) ? readArray(host, body.value, count) : readObject(host, body.value)
}

/** True when an entry failed only because the answers of the whole batch were too large. */
export const isTooBigInBatch = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'truth' && TOO_BIG_TEXT.test(outcome.error.message)
