import { JsonRpcError } from '../errors.ts'
import { parseRetryAfter } from '../lib/retry-after.ts'
import { MAX_RETRY_AFTER_MS } from './defaults.ts'
import { type Failure, failed, type Outcome } from './outcome.ts'

/** The error member of a JSON-RPC answer, as far as it is there. */
export interface RpcErrorBody {
  code: number
  message: string
  data?: unknown
}

/** Reverted calls (3), parse error, invalid request, method not found, invalid params: true on every upstream. */
const TRUTH_CODES = new Set([3, -32700, -32600, -32601, -32602])
const RATE_TEXT =
  /rate.?limit|too many (requests|calls|connections)|throttl|(request|requests|call|calls|daily|monthly|usage|credit|credits|capacity|throughput|quota)[a-z ]{0,20}(limit|exceeded|reached)|limit exceeded|requests? per (second|minute|day)|compute units|quota/i
/** The answer or the question is too large: the caller has to ask for less, this upstream is not to blame. */
const SIZE_TEXT =
  /(response|result|request|payload|body|batch|log|query)s?.{0,20}(size|too (large|big|many))|size limit/i
const BEHIND_TEXT =
  /cannot query unfinalized data|requested .{0,120}after last accepted|header (for hash )?not found|block not found: (hash|not accepted yet)|block not available|node is (behind|unhealthy)|minimum context slot has not been reached|block status not yet available|unknown block$|after last accepted block/i
/** The node's own trouble: another one may answer. */
const TROUBLE_TEXT =
  /^internal (server )?error\.?$|missing trie node|service (temporarily )?unavailable|resource unavailable/i

const clean = (text: string): string => text.replace(/https?:\/\/\S+/g, 'URL').slice(0, 160)

/**
 * What a JSON-RPC error means. Unknown errors are the truth: retrying them elsewhere would only multiply load.
 * -32005 is "limit exceeded" (EIP-1474) and Solana's "node is behind"; some providers use it for ranges that are too
 * large, so that only texts about rates pause the upstream.
 */
export const judgeRpcError = (host: string, body: RpcErrorBody): Outcome<never> => {
  const { code, message, data } = body
  const truth = (retryable: boolean): Outcome<never> => ({
    kind: 'truth',
    error: new JsonRpcError(message, code, data, retryable),
  })
  const trouble = (kind: Failure<never>['kind'], fallback: boolean): Outcome<never> =>
    failed({
      host,
      kind,
      reason: `JSON-RPC error ${code}: ${clean(message)}`,
      ...(fallback ? { fallback: truth(true) } : {}),
    })
  if (TRUTH_CODES.has(code) || /revert/i.test(message)) return truth(false)
  if (BEHIND_TEXT.test(message)) return trouble('behind', true)
  const aboutSize = /\bgas\b/i.test(message) || (SIZE_TEXT.test(message) && !/requests/i.test(message))
  if (code === 429 || code === -32029 || (RATE_TEXT.test(message) && !aboutSize)) return trouble('rate-limited', false)
  if (code === -32005 || code === -32002 || TROUBLE_TEXT.test(message)) return trouble('rpc', true)
  return truth(false)
}

const waitIn = (retryAfter: string | string[] | undefined): { retryAfterMs?: number } => {
  const retryAfterMs = parseRetryAfter(retryAfter, Date.now(), MAX_RETRY_AFTER_MS)
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** The failure behind an HTTP status; undefined when the status is no trouble of the upstream. */
export const judgeStatus = (
  host: string,
  status: number,
  retryAfter: string | string[] | undefined,
): Failure<never> | undefined => {
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    return { host, kind: 'rate-limited', reason: `status ${status}`, ...waitIn(retryAfter) }
  }
  if (status >= 500 || status === 408) return { host, kind: 'status', reason: `status ${status}` }
  return undefined
}

/** More of a body than this is not looked at for a reason. */
const REASON_BYTES = 4_096

/**
 * The rate limit behind a 4xx status whose body is no JSON-RPC error: gateways write it in words of their own, often
 * with 403. Undefined when the words speak of something else.
 */
export const judgeRefusal = (
  host: string,
  status: number,
  body: Buffer,
  retryAfter: string | string[] | undefined,
): Failure<never> | undefined => {
  if (status < 400 || status >= 500 || !RATE_TEXT.test(body.toString('utf8', 0, REASON_BYTES))) return undefined
  const reason = `status ${status}, which speaks of a rate limit`
  return { host, kind: 'rate-limited', reason, ...waitIn(retryAfter) }
}
