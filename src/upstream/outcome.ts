import { type FirnError, messageOf } from '../errors.ts'
import { lacksMethod } from './json-rpc/lacking-method.ts'
import type { CallOptions, Responder, Unheard } from './types.ts'

/** Why running work is stopped: nobody waits for it, time ran out, another attempt won, the pool closes. */
export type CancelCause = 'left' | 'deadline' | 'lost' | 'closed'

/** Stops the work; its `settle` is not called any more. Safe to call twice and after the end. */
export type Cancel = (cause: CancelCause) => void

export type FailureKind =
  /** No connection, cut connection, timeout. */
  | 'network'
  /** An HTTP status that says nothing about the request (5xx, 401, 403 …). */
  | 'status'
  /** A body that is not an answer: HTML, broken JSON, no result, wrong encoding. */
  | 'bad-answer'
  /** More bytes than allowed. */
  | 'too-large'
  /** Other answers took all the room for answers being received. */
  | 'no-room'
  | 'rate-limited'
  /** The upstream has not seen the requested block. */
  | 'behind'
  /** A JSON-RPC error, or a limit for requests, that another upstream may not have. */
  | 'rpc'
  /** The upstream may not understand the question (`CallOptions.doubts`); what it said is the fallback. */
  | 'doubtful'
  /** Our own queue for this upstream is full. */
  | 'overloaded'
  /** The upstream serves another network. */
  | 'foreign'

/** One attempt that failed for a reason of its own upstream. */
export interface Failure<T> {
  host: string
  kind: FailureKind
  /** For logs and error messages: never holds a URL. */
  reason: string
  retryAfterMs?: number
  /** No byte of the request left this process, or the upstream did nothing with it: even a write may go elsewhere. */
  neverSent?: boolean
  /** The upstream refused us (a key, a bill, a redirection): nothing says that it would have known more. */
  refused?: boolean
  /** A status 4xx to bytes that a client chose: a firewall may have turned away what they say, and nothing else. */
  blamesCall?: boolean
  /** The fallback is about the upstream, not about the question: another upstream's fallback takes precedence. */
  unheard?: Unheard
  /** What the caller gets when no upstream does better (for example the node's own "header not found"). */
  fallback?: Outcome<T>
}

/** Trouble that may be over in a moment; the other kinds would only repeat themselves. */
export const PASSING: ReadonlySet<FailureKind> = new Set(['network', 'status', 'bad-answer', 'overloaded'])

/** Another upstream may have it. Such failures do not count as attempts: the last of many servers may be the one. */
export const lacks = ({ kind, unheard }: Failure<unknown>): boolean =>
  kind === 'behind' || kind === 'doubtful' || unheard === 'place'

/** A server that is being started lacks the place, and soon has it. */
export const mayPass = ({ kind, unheard }: Failure<unknown>): boolean => PASSING.has(kind) || unheard === 'place'

export type Outcome<T> =
  /** `by` is set once the answer counts. */
  | { kind: 'answer'; value: T; by?: Responder }
  /** The upstream is fine and this error is the truth about the request. */
  | { kind: 'truth'; error: FirnError }
  | { kind: 'failure'; failure: Failure<T> }

/** HTTP status of a server that has nothing at the requested path. */
export const NOTHING_THERE = 404

/** Called at most once. */
export type Settle<T> = (outcome: Outcome<T>) => void

export const failed = <T>(failure: Failure<T>): Outcome<T> => ({ kind: 'failure', failure })

/** The outcome if its value passes the check; otherwise the error that was thrown counts as the upstream's trouble. */
export const checked = <T>(
  host: string,
  outcome: Outcome<T>,
  check: ((value: unknown) => void) | undefined,
): Outcome<T> => {
  if (check === undefined || outcome.kind !== 'answer') return outcome
  try {
    check(outcome.value)
    return outcome
  } catch (error) {
    return failed({ host, kind: 'bad-answer', reason: messageOf(error) })
  }
}

/** The outcome unless the caller doubts it: then others are asked before it is believed. */
export const doubted = <T>(host: string, outcome: Outcome<T>, doubts: CallOptions['doubts']): Outcome<T> => {
  if (doubts === undefined || outcome.kind === 'failure') return outcome
  const said = outcome.kind === 'truth' ? outcome.error : outcome.value
  if (!doubts(said, host)) return outcome
  const reason = outcome.kind === 'truth' ? outcome.error.message.slice(0, 160) : 'something else than an answer'
  const unheard = lacksMethod(said) ? { unheard: 'method' as const } : {}
  return failed({ host, kind: 'doubtful', reason, ...unheard, fallback: outcome })
}

/** Converts the value of an answer; other outcomes stay as they are. `convert` may reject the value. */
export const mapAnswer = <A, B>(outcome: Outcome<A>, convert: (value: A) => Outcome<B>): Outcome<B> => {
  if (outcome.kind === 'answer') return convert(outcome.value)
  if (outcome.kind === 'truth') return outcome
  const { fallback, ...failure } = outcome.failure
  return failed(fallback === undefined ? failure : { ...failure, fallback: mapAnswer(fallback, convert) })
}
