import { parseRetryAfter } from '../../../lib/http/retry-after.ts'
import {
  type AnswerVerdict,
  accessOf,
  closedWords,
  MAX_RETRY_AFTER_MS,
  OUR_STANDING,
  type RawResponse,
  rateWords,
  shutWord,
  speaksOfMissingState,
  type Unheard,
} from '../../../upstream/index.ts'
import { memberOf, memberSpan } from '../json/spans.ts'
import { decodeString } from '../json/strings.ts'
import { isSpace, skipSpace } from '../json/validate.ts'
import type { MethodRule } from '../methods/rule.ts'
import { answeredCall } from './answered-call.ts'
import { createEcho, type IsEcho } from './echo.ts'
import { resultIn } from './result-in.ts'

/** Decides whether an upstream's response is an answer for the client or a problem of this upstream. */
export type Judge = (response: RawResponse) => AnswerVerdict

const ANSWER: AnswerVerdict = { kind: 'answer' }
const trouble = (reason: string): AnswerVerdict => ({ kind: 'retry', reason })
/** This node lags or does not have the result: another may. If none has it, the node's own words are the answer. */
const behind = (reason: string): AnswerVerdict => ({ kind: 'retry', reason, behind: true })

/** The node has not handled the call, lacks the method, or does not run the chain (yet). Other nodes decide. */
const unheard = (reason: string, why: Unheard): AnswerVerdict => ({
  kind: 'retry',
  reason,
  behind: true,
  unheard: why,
})

/** Errors of a node that has not seen a block which the caller knows of. */
const BEHIND =
  /cannot query unfinalized data|after last accepted block|at unfinalized height|^couldn't get block at height|^start index \(|^no container at index|^no containers have been accepted|header (for hash )?not found|^unknown block$|^block not found(: |$)|^(finalized|safe|earliest) (block|header) not found$|block body (not found|is missing)$|^block range extends beyond current head block$|^request beyond head block/
/**
 * Errors of a node that lacks what others have: state-synced (old blocks, atomic transactions), pruned, a part of its
 * index missing, without an L1 that others run (it knows only the names of its own chains), or with its own limits.
 * Messages of contracts begin differently.
 */
const WITHOUT =
  /^there is no (?:chain|ID) with alias|^problem parsing source chainID .{1,300}: there is no ID with alias: |^not found$|^couldn't get .{1,120}: not found$|^(block|header|transaction) [#0-9a-fx]{1,70} not found$|^transaction not found$|^could not find tx |^historical proof query not allowed|^required historical state unavailable|^missing block |^requested too many blocks|^gas required exceeds allowance/
/** Errors of a node that lacks the method: others may be older, newer, or have the API enabled. */
const LACKING = /^rpc: can't find (method|service)|^the method .* does not exist/
/** The same of servers other than AvalancheGo and geth, with their own texts: method not found, not enabled (Besu). */
const LACKING_CODES: ReadonlySet<number> = new Set([-32601, -32604])
/** Errors are short; longer ones (reverts with data) are about the call, never about the node. */
const MAX_ERROR = 4_096
const NULL_START = 0x6e

const lastByte = (body: Buffer): number | undefined => {
  let at = body.length - 1
  while (at >= 0 && isSpace(body[at])) at -= 1
  return body[at]
}

const isJsonShaped = (body: Buffer): boolean => {
  const first = body[skipSpace(body, 0)]
  const last = lastByte(body)
  return (first === 0x7b && last === 0x7d) || (first === 0x5b && last === 0x5d)
}

interface RpcError {
  code: number
  message: string
}

/** The top-level error member of a JSON-RPC answer with at most `longest` bytes. */
export function errorOf(body: Buffer, longest = MAX_ERROR): RpcError | undefined {
  if (body.length > longest || !body.includes('"error"')) return undefined
  const error = memberSpan(body, 'error', skipSpace(body, 0))
  // Servers of JSON-RPC version 1 write `error: null` next to every result.
  if (!error || body[error.from] === NULL_START) return undefined
  const message = memberSpan(body, 'message', error.from)
  return {
    code: Number(memberOf(body, 'code', error.from)?.toString('latin1') ?? 0),
    message: message && body[message.from] === 0x22 ? safeString(body, message.from, message.to) : '',
  }
}

function safeString(body: Buffer, from: number, to: number): string {
  try {
    return decodeString(body, from, to)
  } catch {
    return ''
  }
}

const isLacking = ({ code, message }: RpcError): boolean => LACKING_CODES.has(code) || LACKING.test(message)

const isWithout = ({ message }: RpcError): boolean =>
  BEHIND.test(message) || WITHOUT.test(message) || speaksOfMissingState(message)

/** An error of a contract is the answer, whatever its text: reverts of geth, of Nethermind and of others. */
const isContracts = ({ code, message }: RpcError): boolean => code === 3 || code === -32015 || /revert/i.test(message)

/** True for words that are present and not repeated from the caller. */
const isSaid = (words: string | undefined, isEcho: IsEcho): boolean => words !== undefined && !isEcho(words)

const isLimited = (error: RpcError, isEcho: IsEcho): boolean =>
  error.code === 429 || error.code === -32029 || (!isContracts(error) && isSaid(rateWords(error.message), isEcho))

function judgeError(error: RpcError, isEcho: IsEcho): AnswerVerdict {
  const { code, message } = error
  if (isLimited(error, isEcho)) return { kind: 'retry', reason: `JSON-RPC error ${code}`, rateLimited: true }
  if (isContracts(error)) return ANSWER
  // A missing key, or a node's end, concerns only the node and this server: clients would take it for their request's fault.
  if (isSaid(closedWords(message) ?? shutWord(message), isEcho)) return trouble(`JSON-RPC error ${code}`)
  if (isLacking(error)) return unheard(`JSON-RPC error ${code}`, 'method')
  return accessOf(message) === 'restricted' || isWithout(error) ? behind(`JSON-RPC error ${code}`) : ANSWER
}

/** If a lagging node could not answer any entry of a batch, the whole batch goes to another node. */
const BATCH_BEHIND = [
  ...['cannot query unfinalized data', 'after last accepted block', 'header for hash not found'],
  ...['"unknown block"', '"block not found', '"failed to get logs for block #'],
]
const batchIsBehind = (body: Buffer): boolean => BATCH_BEHIND.some((text) => body.includes(text))

function judgeBody(body: Buffer, isEcho: IsEcho): AnswerVerdict {
  // Notifications and pings have an empty answer.
  if (body.length === 0) return ANSWER
  if (!isJsonShaped(body)) return trouble('answer is no JSON')
  if (body[0] === 0x5b) return batchIsBehind(body) ? behind('batch asks beyond the tip') : ANSWER
  const error = errorOf(body)
  return error ? judgeError(error, isEcho) : ANSWER
}

const BOOTSTRAPPING = 'API call rejected because chain is not done bootstrapping'

function judgeStatus({ status, body, headers }: RawResponse): AnswerVerdict {
  // API disabled, chain not validated here, or not a node at all: another may serve it.
  if (status === 404) return unheard('status 404', 'place')
  // The limit for bodies is the node's own; bodies too large for this server have been refused already.
  if (status === 413) return unheard('status 413', 'place')
  if (status === 503 && body.length < 256 && body.includes(BOOTSTRAPPING)) return unheard('bootstrapping', 'place')
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined))
    return { kind: 'retry', reason: `status ${status}`, rateLimited: true, ...retryAfter(headers['retry-after']) }
  // This upstream rejects our key, account or host name; 3xx: something in front of it answered.
  if (status >= 500 || status === 408 || OUR_STANDING.has(status) || (status >= 300 && status < 400))
    return trouble(`status ${status}`)
  return ANSWER
}

const retryAfter = (header: string | string[] | undefined): { retryAfterMs?: number } => {
  const retryAfterMs = parseRetryAfter(header, Date.now(), MAX_RETRY_AFTER_MS)
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

const PAGE = /\b(?:html|xml)\b/i

/**
 * Something else answers where the node was, as web servers do without it: calls are refused in plain text or JSON, and
 * none for being a POST.
 */
const isPage = ({ status, headers }: RawResponse): boolean =>
  status === 405 || PAGE.test(String(headers['content-type'] ?? ''))

function judgeRefusal(response: RawResponse): AnswerVerdict {
  const verdict = judgeStatus(response)
  return verdict.kind === 'answer' && isPage(response) ? trouble(`a page with status ${response.status}`) : verdict
}

/**
 * Judges answers of JSON-RPC endpoints.
 * @param asked the call as sent
 */
export const judgeRpc = (asked: Buffer | undefined): Judge => {
  const isEcho = createEcho(asked)
  return (response) => (response.status === 200 ? judgeBody(response.body, isEcho) : judgeRefusal(response))
}

const LONGEST_ID = 128
/**
 * Ids that every server echoes unchanged. Other ids (`1e400`, half of a surrogate pair) may be altered by something in
 * front of a node, and callers choose them.
 */
const PLAIN_ID = /^(?:0|-?[1-9]\d{0,14}|"[ !#-[\]-~]{0,100}")$/

/** "Parse error": for a call with several ids, it may carry any of them, depending on how far the call was read. */
const UNREADABLE = -32700

/**
 * Some servers (of Rootstock, of Lotus) put 500 on each error that they answer a call with, such as wrong parameters. One
 * that does is there, whatever callers make it say.
 */
const isRefusedCall = ({ status, body }: RawResponse, id: Buffer): boolean =>
  status === 500 && errorOf(body) !== undefined && answeredCall(body, id) === 'this'

/**
 * Judges answers to one call: a result or an error with this id (as echoed). Whatever else something in front of a node
 * may say is rejected, including the answer to another call that a proxy has mixed up.
 */
export const judgeCall = (id: Buffer, asked: Buffer | undefined): Judge => {
  const judge = judgeRpc(asked)
  return (response) => {
    const verdict = judge(response)
    if (isRefusedCall(response, id)) return { ...verdict, blameless: true }
    // Any other success without an answer is none.
    if (verdict.kind !== 'answer' || response.status >= 300) return verdict
    const answered = answeredCall(response.body, id)
    if (answered === 'this' || errorOf(response.body)?.code === UNREADABLE) return verdict
    const told = trouble(answered === 'other' ? 'answer to another call' : 'answer without a result or an error')
    return PLAIN_ID.test(id.toString('latin1', 0, LONGEST_ID)) ? told : { ...told, blameless: true }
  }
}

/** The same judge, but "not found" is only accepted when no node has it. */
export function unlessAbsent({ absentWhen }: Pick<MethodRule, 'absentWhen'>, judge: Judge): Judge {
  if (absentWhen === undefined) return judge
  return (response) => {
    const verdict = judge(response)
    if (verdict.kind !== 'answer' || response.status !== 200) return verdict
    const result = resultIn(response.body)
    const at = absentWhen.findIndex((mark) => result.includes(mark))
    if (at < 0) return verdict
    return at === 0 ? behind('has no such thing') : unheard('has never heard of it', 'thing')
  }
}

/** Judges answers that are plain HTTP. */
export const judgeHttp: Judge = (response) => (response.status === 200 ? ANSWER : judgeStatus(response))

/** Too many requests: the call was refused before it was handled, so that even a write may go elsewhere. */
export const wasTurnedAway = ({ status }: RawResponse): boolean => status === 429

/**
 * Calls to unknown virtual machines may be writes. They go to another node only when this one certainly did nothing: it
 * does not run the chain, is not ready, or is rate limited.
 */
export const judgeOpaque: Judge = (response) => {
  const verdict = judgeHttp(response)
  if (verdict.kind !== 'retry') return verdict
  return verdict.behind || wasTurnedAway(response) ? { ...verdict, untouched: true } : verdict
}

/** The health API answers 503 when the node is unhealthy: that is the answer. */
export const judgeHealth: Judge = (response) => (response.status === 503 ? ANSWER : judgeHttp(response))

/** True when an entry of a batch was refused because of the number of calls. */
export function saysLimited(body: Buffer, isEcho: IsEcho): boolean {
  const error = errorOf(body)
  return error !== undefined && isLimited(error, isEcho)
}

/** True when another node may have what this answer, or entry of a batch, says is missing. */
export const saysWithout = (body: Buffer): boolean => {
  const error = errorOf(body)
  return error !== undefined && (isLacking(error) || isWithout(error))
}

/** True when the body says that the node lacks the method. */
export const lacksMethod = (body: Buffer): boolean => {
  const error = errorOf(body)
  return error !== undefined && isLacking(error)
}
