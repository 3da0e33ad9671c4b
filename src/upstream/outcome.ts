import { type FirnError, messageOf } from '../errors.ts'
import type { Teller, Unheard } from './types.ts'

/** Why running work is stopped: nobody waits for it, time ran out, a hedge won, the pool closes. */
export type CancelCause = 'left' | 'deadline' | 'lost' | 'closed'

/** Stops the work; its settle is not called any more. Safe to call twice and after the end. */
export type Cancel = (cause: CancelCause) => void

export type FailureKind =
  /** No connection, cut connection, timeout. */
  | 'network'
  /** An HTTP status that says nothing about the request (5xx, 401, 403 …). */
  | 'status'
  /** A body that is no answer: HTML, broken JSON, no result, wrong encoding. */
  | 'bad-answer'
  /** More bytes than the limit. */
  | 'too-large'
  /** Other answers took all the room that there is for answers that are coming in. */
  | 'no-room'
  | 'rate-limited'
  /** The upstream has not seen the block that was asked for. */
  | 'behind'
  /** A JSON-RPC error that another upstream may not have. */
  | 'rpc'
  /** Perhaps it does not understand the question (`CallOptions.doubts`); what it said is the fallback. */
  | 'doubtful'
  /** Our own queue for this upstream is full. */
  | 'overloaded'
  /** It serves another network. */
  | 'foreign'

/** One upstream's own trouble with one attempt. */
export interface Failure<T> {
  host: string
  kind: FailureKind
  /** For logs and error messages: never holds a URL. */
  reason: string
  retryAfterMs?: number
  /** Not one byte of the request left this process, or the upstream did nothing with it: even a write may go elsewhere. */
  neverSent?: boolean
  /** It answered, but not us (a key, a bill, a redirection): nothing says that it would have known more. */
  refused?: boolean
  /** The fallback is about the upstream, not about the question: that of another goes before it. */
  unheard?: Unheard
  /** What the caller gets when nobody knows better (for example the node's own "header not found"). */
  fallback?: Outcome<T>
}

export type Outcome<T> =
  /** `bytes` is the answer's weight for caches; `by` is set once it is known to count. */
  | { kind: 'answer'; value: T; bytes: number; by?: Teller }
  /** The upstream is fine and this error is the truth about the request. */
  | { kind: 'truth'; error: FirnError }
  | { kind: 'failure'; failure: Failure<T> }

/** HTTP status of a server that has nothing at the path that was asked for. */
export const NOTHING_THERE = 404

/** Called at most once. */
export type Settle<T> = (outcome: Outcome<T>) => void

export const failed = <T>(failure: Failure<T>): Outcome<T> => ({ kind: 'failure', failure })

/** The outcome, if its value passes; else what the check threw is the trouble of this upstream. */
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

/** The outcome, unless the asker doubts it: then others are asked before it is believed. */
export const doubted = <T>(
  host: string,
  outcome: Outcome<T>,
  doubts: ((said: unknown) => boolean) | undefined,
): Outcome<T> => {
  if (doubts === undefined || outcome.kind === 'failure') return outcome
  const said = outcome.kind === 'truth' ? outcome.error : outcome.value
  if (!doubts(said)) return outcome
  const reason = outcome.kind === 'truth' ? outcome.error.message.slice(0, 160) : 'something else than an answer'
  return failed({ host, kind: 'doubtful', reason, fallback: outcome })
}

/** Turns an answer's value into something else; what is no answer stays as it is. `convert` may turn it down. */
export const mapAnswer = <A, B>(outcome: Outcome<A>, convert: (value: A, bytes: number) => Outcome<B>): Outcome<B> => {
  if (outcome.kind === 'answer') return convert(outcome.value, outcome.bytes)
  if (outcome.kind === 'truth') return outcome
  const { fallback, ...failure } = outcome.failure
  return failed(fallback === undefined ? failure : { ...failure, fallback: mapAnswer(fallback, convert) })
}
