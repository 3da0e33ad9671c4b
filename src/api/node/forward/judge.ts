import { parseRetryAfter } from '../../../lib/retry-after.ts'
import {
  type AnswerVerdict,
  accessOf,
  closedWords,
  OUR_STANDING,
  type RawResponse,
  rateWords,
  speaksOfMissingState,
  type Unheard,
} from '../../../upstream/index.ts'
import { eachMember } from '../json/spans.ts'
import { decodeString } from '../json/strings.ts'
import { isSpace, skipSpace } from '../json/validate.ts'
import type { MethodRule } from '../methods/rule.ts'
import { answeredCall } from './answered-call.ts'
import { isEcho } from './echo.ts'
import { resultIn } from './result-in.ts'

/** Reads what an upstream's answer means: an answer for the client, or this upstream's own trouble. */
export type Judge = (response: RawResponse) => AnswerVerdict

const ANSWER: AnswerVerdict = { kind: 'answer' }
const trouble = (reason: string): AnswerVerdict => ({ kind: 'retry', reason })
/** This node is behind or does not have it: another may. When none has, its own words are the answer. */
const behind = (reason: string): AnswerVerdict => ({ kind: 'retry', reason, behind: true })

/** It knows nothing of it, lacks the method, or does not run the chain (yet). What others say counts. */
const unheard = (reason: string, why: Unheard): AnswerVerdict => ({
  kind: 'retry',
  reason,
  behind: true,
  unheard: why,
})

/** Texts of a node that has not seen a block which the caller knows of. */
const BEHIND =
  /cannot query unfinalized data|after last accepted block|at unfinalized height|^couldn't get block at height|^start index \(|^no container at index|^no containers have been accepted|header (for hash )?not found|^unknown block$|^block not found(: |$)|^(finalized|safe|earliest) (block|header) not found$|block body (not found|is missing)$|^block range extends beyond current head block$|^request beyond head block/
/**
 * Texts of a node that has not all that others have: state-synced (old blocks, atomic transactions), pruned, without a
 * part of its index, without an L1 that others run (it knows no other names than those of its own chains), or with limits of
 * its own. What a contract says begins otherwise.
 */
const WITHOUT =
  /^there is no (?:chain|ID) with alias|^problem parsing source chainID .{1,300}: there is no ID with alias: |^not found$|^couldn't get .{1,120}: not found$|^(block|header|transaction) [#0-9a-fx]{1,70} not found$|^transaction not found$|^could not find tx |^historical proof query not allowed|^required historical state unavailable|^missing block |^requested too many blocks|^gas required exceeds allowance/
/** Texts of a node that lacks the method: others may be older, newer, or have the API switched on. */
const LACKING = /^rpc: can't find (method|service)|^the method .* does not exist/
/** The same of others than AvalancheGo and geth, in words of their own: method not found, and not enabled (Besu). */
const LACKING_CODES: ReadonlySet<number> = new Set([-32601, -32604])
/** No node is left alone for longer, whatever it asks for. */
const MAX_RETRY_AFTER_MS = 300_000
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

/** The top-level error member of a JSON-RPC answer that is no longer than `longest` bytes. */
export function errorOf(body: Buffer, longest = MAX_ERROR): RpcError | undefined {
  if (body.length > longest || !body.includes('"error"')) return undefined
  let found: RpcError | undefined
  eachMember(body, skipSpace(body, 0), (keyFrom, keyTo, from) => {
    if (keyTo - keyFrom !== 7 || body.toString('latin1', keyFrom, keyTo) !== '"error"') return
    // Servers of version 1 write it beside every result.
    if (body[from] === NULL_START) return
    const error: RpcError = { code: 0, message: '' }
    eachMember(body, from, (nameFrom, nameTo, valueFrom, valueTo) => {
      const name = body.toString('latin1', nameFrom, nameTo)
      if (name === '"code"') error.code = Number(body.toString('latin1', valueFrom, valueTo))
      if (name === '"message"' && body[valueFrom] === 0x22) error.message = safeString(body, valueFrom, valueTo)
    })
    found = error
  })
  return found
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

/** What a contract says is the answer, whatever it says: reverts, as geth, as Nethermind, and as others tell them. */
const isContracts = ({ code, message }: RpcError): boolean => code === 3 || code === -32015 || /revert/i.test(message)

/** What was asked, as it was sent. */
type Asked = Buffer | undefined

/** Words that are there, and are not the caller's own. */
const isSaid = (words: string | undefined, asked: Asked): boolean => words !== undefined && !isEcho(words, asked)

const isLimited = (error: RpcError, asked: Asked): boolean =>
  error.code === 429 || error.code === -32029 || (!isContracts(error) && isSaid(rateWords(error.message), asked))

function judgeError(error: RpcError, asked: Asked): AnswerVerdict {
  const { code, message } = error
  if (isLimited(error, asked)) return { kind: 'retry', reason: `JSON-RPC error ${code}`, rateLimited: true }
  if (isContracts(error)) return ANSWER
  // That it wants a key is between it and this server; the client would take it for its own.
  if (isSaid(closedWords(message), asked)) return trouble(`JSON-RPC error ${code}`)
  if (isLacking(error)) return unheard(`JSON-RPC error ${code}`, 'method')
  return accessOf(message) === 'restricted' || isWithout(error) ? behind(`JSON-RPC error ${code}`) : ANSWER
}

/** Any member of a batch that a node behind could not answer makes the whole batch another node's. */
const BATCH_BEHIND = [
  ...['cannot query unfinalized data', 'after last accepted block', 'header for hash not found'],
  ...['"unknown block"', '"block not found'],
]
const batchIsBehind = (body: Buffer): boolean => BATCH_BEHIND.some((text) => body.includes(text))

function judgeBody(body: Buffer, asked: Asked): AnswerVerdict {
  // Notifications and pings are answered with nothing.
  if (body.length === 0) return ANSWER
  if (!isJsonShaped(body)) return trouble('answer is no JSON')
  if (body[0] === 0x5b) return batchIsBehind(body) ? behind('batch asks beyond the tip') : ANSWER
  const error = errorOf(body)
  return error ? judgeError(error, asked) : ANSWER
}

const BOOTSTRAPPING = 'API call rejected because chain is not done bootstrapping'

function judgeStatus({ status, body, headers }: RawResponse): AnswerVerdict {
  // API switched off, chain not validated here, or no node at all: another may serve it.
  if (status === 404) return unheard('status 404', 'place')
  // Its limit for bodies is its own; what is too large for this server was refused before.
  if (status === 413) return unheard('status 413', 'place')
  if (status === 503 && body.length < 256 && body.includes(BOOTSTRAPPING)) return unheard('bootstrapping', 'place')
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined))
    return { kind: 'retry', reason: `status ${status}`, rateLimited: true, ...retryAfter(headers['retry-after']) }
  // A key, a bill or a host name that this upstream does not take; 3xx: something in front of it.
  if (status >= 500 || status === 408 || OUR_STANDING.has(status) || (status >= 300 && status < 400))
    return trouble(`status ${status}`)
  return ANSWER
}

const retryAfter = (header: string | string[] | undefined): { retryAfterMs?: number } => {
  const retryAfterMs = parseRetryAfter(header, Date.now(), MAX_RETRY_AFTER_MS)
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** Answers of JSON-RPC endpoints to what was asked. */
export const judgeRpc =
  (asked: Asked): Judge =>
  (response) =>
    response.status === 200 ? judgeBody(response.body, asked) : judgeStatus(response)

const LONGEST_ID = 128
/**
 * Ids that every server writes back as they are. Of others (`1e400`, half of a pair) something before a node may make
 * another one, and strangers choose them.
 */
const PLAIN_ID = /^(?:0|-?[1-9]\d{0,14}|"[ !#-[\]-~]{0,100}")$/

/** "Parse error": a call with several ids may be told so under any of them, as far as it was read. */
const UNREADABLE = -32700

/**
 * Answers to one call, as it was sent, with this id (as it is echoed): a result or an error under the id, whatever else
 * something before a node may say. The answer to another call, which a proxy has mixed up, must not be taken for this
 * one's.
 */
export const judgeCall = (id: Buffer, asked: Asked): Judge => {
  const judge = judgeRpc(asked)
  return (response) => {
    const verdict = judge(response)
    if (verdict.kind !== 'answer' || response.status !== 200) return verdict
    const answered = answeredCall(response.body, id)
    if (answered === 'this' || errorOf(response.body)?.code === UNREADABLE) return verdict
    const told = trouble(answered === 'other' ? 'answer to another call' : 'answer without a result or an error')
    return PLAIN_ID.test(id.toString('latin1', 0, LONGEST_ID)) ? told : { ...told, blameless: true }
  }
}

/** The same judge; but that a node has no such thing is believed only when nobody has it. */
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

/** Answers of which nothing is known but HTTP. */
export const judgeHttp: Judge = (response) => (response.status === 200 ? ANSWER : judgeStatus(response))

/** Too many requests: the call was turned away before anybody looked at it, so that even a write may go elsewhere. */
export const wasTurnedAway = ({ status }: RawResponse): boolean => status === 429

/**
 * What virtual machines that we do not know are sent may be a write. It goes on to another node only when this one says
 * that it did nothing: it does not run the chain, is not ready, or is asked too often.
 */
export const judgeOpaque: Judge = (response) => {
  const verdict = judgeHttp(response)
  if (verdict.kind !== 'retry') return verdict
  return verdict.behind || wasTurnedAway(response) ? { ...verdict, untouched: true } : verdict
}

/** Health tells by 503 that the node is unhealthy: that is the answer. */
export const judgeHealth: Judge = (response) => (response.status === 503 ? ANSWER : judgeHttp(response))

/** True when an entry of a batch was turned away for the number of calls. */
export function saysLimited(body: Buffer, asked: Buffer): boolean {
  const error = errorOf(body)
  return error !== undefined && isLimited(error, asked)
}

/** True when another node may have what this answer, or entry of a batch, says that there is not. */
export const saysWithout = (body: Buffer): boolean => {
  const error = errorOf(body)
  return error !== undefined && (isLacking(error) || isWithout(error))
}

/** True when the body says that the node does not have the method. */
export const lacksMethod = (body: Buffer): boolean => {
  const error = errorOf(body)
  return error !== undefined && isLacking(error)
}
