import { JsonRpcError } from '../../errors.ts'
import { parseRetryAfter } from '../../lib/http/retry-after.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import { MAX_RETRY_AFTER_MS } from '../defaults.ts'
import { type Failure, failed, type Outcome } from '../outcome.ts'
import {
  accessOf,
  mentionsRate,
  rateWords,
  speaksOfMissingBlock,
  speaksOfMissingState,
  speaksOfSize,
  speaksOfTrouble,
} from './error-texts.ts'

/** The error member of a JSON-RPC answer; missing parts are filled in. */
export interface RpcErrorBody {
  code: number
  message: string
  data?: unknown
}

/** Parse error, invalid request, method not found, invalid params: the same on every upstream. */
const TRUTH_CODES = new Set([-32700, -32600, -32601, -32602])
/** Codes of reverted calls in geth and in Nethermind: the error is the contract's. */
const REVERT_CODES = new Set([3, -32015])

const clean = (text: string): string => text.replace(/https?:\/\/\S+/g, 'URL').slice(0, 160)

/**
 * What a JSON-RPC error means. Unknown errors are the truth: retrying them elsewhere would only multiply the load. With
 * an HTTP status about the server (408, 5xx) or about us (401, 403 …) they are believed only when all upstreams say so.
 * -32005 is "limit exceeded" (EIP-1474) and Solana's "node is behind". Some providers use it for ranges that are too
 * large, so only texts about rates pause the upstream.
 */
export const judgeRpcError = (host: string, body: RpcErrorBody, status = 200): Outcome<never> => {
  const { code, message, data } = body
  const truth = (retryable: boolean): Outcome<never> => ({
    kind: 'truth',
    error: new JsonRpcError(message, code, data, retryable),
  })
  const reason = `${status === 200 ? '' : `status ${status}, `}JSON-RPC error ${code}: ${clean(message)}`
  const trouble = (kind: Failure<never>['kind']): Outcome<never> =>
    failed({ host, kind, reason, fallback: truth(true) })
  if (REVERT_CODES.has(code) || /revert/i.test(message)) return truth(false)
  const access = accessOf(message) ?? (OUR_STANDING.has(status) ? 'closed' : undefined)
  // zkSync servers report a missing block as "invalid params".
  const lacks = speaksOfMissingBlock(message) || speaksOfMissingState(message)
  if (access === undefined && !lacks && TRUTH_CODES.has(code)) return truth(false)
  if (speaksOfMissingBlock(message)) return trouble('behind')
  if (code === 429 || code === -32029 || rateWords(message) !== undefined)
    return failed({ host, kind: 'rate-limited', reason, ...waitIn(undefined, `${message} ${backoffIn(data)}`) })
  if (access !== undefined) return trouble(access === 'closed' ? 'status' : 'rpc')
  if (speaksOfMissingState(message)) return trouble('rpc')
  const isServers = code === -32005 || code === -32002 || speaksOfTrouble(message)
  if (isServers && status < 500) return trouble('rpc')
  if (isServers) return failed({ host, kind: 'status', reason: `status ${status}` })
  if (speaksOfSize(message) || !isTrouble(status)) return truth(false)
  return failed({ host, kind: 'status', reason, fallback: truth(true) })
}

/** Statuses about our standing at this upstream (key, plan, region), not about the question. */
export const OUR_STANDING: ReadonlySet<number> = new Set([401, 402, 403, 407, 451])

/** A status that says nothing about the request. */
const isTrouble = (status: number): boolean => status >= 500 || status === 408

/** Ankr: "retry in 10s", "retry in 10m0s"; Infura: the duration in `data.rate`. */
const WAIT_TEXTS = [/\bretry in (?:(\d{1,3})m)?(\d{1,4})s\b/i, /"backoff_seconds":()(\d{1,4})/]

/** In the form it has in a body; a number with too many digits is no wait. */
const backoffIn = (data: unknown): string => {
  const rate = isRecord(data) && isRecord(data['rate']) ? data['rate'] : {}
  return `"backoff_seconds":${String(rate['backoff_seconds'])}`
}

/** The wait that the header, or the text beside it, asks for. */
const waitIn = (retryAfter: string | string[] | undefined, said: string): { retryAfterMs?: number } => {
  const asked = parseRetryAfter(retryAfter, Date.now(), MAX_RETRY_AFTER_MS)
  if (asked !== undefined) return { retryAfterMs: asked }
  const [, minutes, seconds] = WAIT_TEXTS.map((text) => text.exec(said)).find((found) => found !== null) ?? []
  if (seconds === undefined) return {}
  return { retryAfterMs: Math.min((Number(minutes || 0) * 60 + Number(seconds)) * 1_000, MAX_RETRY_AFTER_MS) }
}

/** Only this much of a body is searched for a reason. */
const REASON_BYTES = 4_096

/** The failure behind an HTTP status; undefined when the upstream is not in trouble. */
export const judgeStatus = (
  host: string,
  status: number,
  retryAfter: string | string[] | undefined,
  body?: Buffer,
): Failure<never> | undefined => {
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    const said = body?.toString('utf8', 0, REASON_BYTES) ?? ''
    return { host, kind: 'rate-limited', reason: `status ${status}`, ...waitIn(retryAfter, said) }
  }
  if (isTrouble(status)) return { host, kind: 'status', reason: `status ${status}` }
  return undefined
}

/**
 * The rate limit behind a 4xx status whose body is not a JSON-RPC error: gateways use their own words, often with 403.
 * Undefined when the body is about something else.
 */
export const judgeRefusal = (
  host: string,
  status: number,
  body: Buffer,
  retryAfter: string | string[] | undefined,
): Failure<never> | undefined => {
  if (status < 400 || status >= 500) return undefined
  const said = body.toString('utf8', 0, REASON_BYTES)
  if (!mentionsRate(said)) return undefined
  const reason = `status ${status}, which speaks of a rate limit`
  return { host, kind: 'rate-limited', reason, ...waitIn(retryAfter, said) }
}
