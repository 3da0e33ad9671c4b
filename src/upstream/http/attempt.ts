import { BadInputError, messageOf } from '../../errors.ts'
import type { Reporter } from '../events.ts'
import type { Ticket } from '../limits/gate.ts'
import {
  type Cancel,
  type CancelCause,
  type Failure,
  failed,
  NOTHING_THERE,
  type Outcome,
  type Settle,
} from '../outcome.ts'
import type { Upstream } from '../upstream.ts'
import { sendWire, type WireAnswer, type WireRequest, type WireResult } from './wire.ts'

/** What one HTTP request to one upstream needs. */
interface AttemptPlan<T> {
  request: WireRequest
  /** Turns the bytes into an outcome: an answer, a truth, or the upstream's own trouble. */
  read(host: string, answer: WireAnswer): Outcome<T>
  /** JSON-RPC entries inside. */
  calls: number
  hedge: boolean
  /** Span that the request's `traceparent` is a child of; only if somebody records it. */
  parent?: string | undefined
  /** `Waiting`: the reading that the request is part of. */
  partOf?: object | undefined
  /** `Waiting`: the request comes first. */
  urgent?: boolean
  /** The caller decides how long the answer is: an answer that is too long says nothing about the upstream. */
  anyLength?: boolean | undefined
  /** `CallOptions.keepsRoom` */
  keepsRoom?: boolean
  /** `CallOptions.onSent`. */
  onSent?: (() => void) | undefined
}

export type Attempt = <T>(upstream: Upstream, plan: AttemptPlan<T>, settle: Settle<T>) => Cancel

const outcomeOf = <T>({ host, keys }: Upstream, plan: AttemptPlan<T>, result: WireResult): Outcome<T> => {
  switch (result.kind) {
    case 'answer':
      return plan.read(host, keys.hideIn(result.answer))
    case 'cut':
      return failed({ host, kind: 'network', reason: result.reason, neverSent: result.neverSent })
    case 'too-large':
      return failed({ host, kind: 'too-large', reason: result.reason })
    case 'no-room':
      return failed({ host, kind: 'no-room', reason: 'answered with more than there is room for now' })
    case 'broken':
      return failed({ host, kind: 'bad-answer', reason: result.reason })
    case 'unsendable':
      return { kind: 'truth', error: new BadInputError(`request cannot be sent: ${result.reason}`) }
  }
}

const TOO_LARGE = 413

/** An upstream that serves nothing at the pool's one place is not in trouble, whatever its 404 page looks like. */
const placed = <T>(host: string, outcome: Outcome<T>, result: WireResult): Outcome<T> => {
  if (result.kind !== 'answer' || result.answer.status !== NOTHING_THERE) return outcome
  if (outcome.kind !== 'failure' || outcome.failure.kind === 'behind') return outcome
  return failed({ host, kind: 'behind', reason: `status ${NOTHING_THERE}`, unheard: 'place' })
}

const recordPlace = <T>(upstream: Upstream, outcome: Outcome<T>, status: number): void => {
  // The status is about the size of this question, not about the place.
  if (status === TOO_LARGE) return
  if (outcome.kind !== 'failure') upstream.sawPlace(true)
  else if (outcome.failure.unheard === 'place') upstream.sawPlace(false)
  else if (outcome.failure.kind === 'behind') upstream.sawPlace(true)
}

/** @param isBlameless whether a failure of this kind says nothing about the upstream */
const record = <T>(
  upstream: Upstream,
  outcome: Outcome<T>,
  ms: number,
  isBlameless: (failure: Failure<T>) => boolean,
): void => {
  if (outcome.kind !== 'failure') {
    upstream.succeeded(ms)
    return
  }
  const { kind, retryAfterMs } = outcome.failure
  if (kind === 'rate-limited') {
    upstream.breaker.inconclusive()
    upstream.pause(retryAfterMs)
  } else if (isBlameless(outcome.failure)) upstream.breaker.inconclusive()
  else if (kind === 'behind' || kind === 'rpc') upstream.succeeded(ms)
  else upstream.failed()
}

/** A shorter silence is no reason to doubt an upstream. */
const STALL_MS = 1_000

const recordCancel = (upstream: Upstream, cause: CancelCause, ms: number): void => {
  const p95 = upstream.latency.p95() ?? 0
  // Losing a race counts only if the upstream was slower than usual, not if a hedge had no time to win.
  const lost = cause === 'lost' && ms >= Math.max(p95, upstream.limits.hedgeMinMs)
  const late = cause === 'deadline' && ms >= Math.max(2 * p95, STALL_MS)
  if (lost || late) upstream.stalled(ms)
  else upstream.breaker.inconclusive()
}

/** Less is no wait, only the time it takes to get through the gate. */
const LEAST_WAIT_MS = 1

interface AttemptDeps {
  pool: string
  reporter: Reporter
  /** `UpstreamPoolDeps.onePlace` */
  onePlace: boolean
  /** Upstreams are asked for their heights: whether they refuse us shows by that, whatever clients send. */
  isProbed: boolean
}

/** A class, because one is made for every request. It is also its own ticket at the gate. */
class RunningAttempt<T> implements Ticket {
  readonly #deps: AttemptDeps
  readonly #upstream: Upstream
  readonly #plan: AttemptPlan<T>
  readonly #settle: Settle<T>
  #abandon: (() => void) | undefined
  readonly #madeAt = performance.now()
  #startedAt = 0
  #state: 'waiting' | 'sent' | 'ended' = 'waiting'

  constructor(deps: AttemptDeps, upstream: Upstream, plan: AttemptPlan<T>, settle: Settle<T>) {
    this.#deps = deps
    this.#upstream = upstream
    this.#plan = plan
    this.#settle = settle
  }

  get partOf(): object | undefined {
    return this.#plan.partOf
  }

  get urgent(): boolean | undefined {
    return this.#plan.urgent
  }

  start(): void {
    const { dispatcher, incoming, limits } = this.#upstream
    this.#state = 'sent'
    this.#startedAt = performance.now()
    this.#reportWait(this.#startedAt - this.#madeAt)
    this.#plan.onSent?.()
    const { request, anyLength, keepsRoom } = this.#plan
    const place = { door: incoming, yields: anyLength === true && keepsRoom !== true }
    this.#abandon = sendWire(dispatcher, request, limits, (result) => this.#landed(result), place)
  }

  refuse(reason: string): void {
    this.#state = 'ended'
    this.#upstream.breaker.inconclusive()
    const kind = reason === 'rate limited' ? 'rate-limited' : 'overloaded'
    this.#settle(failed({ host: this.#upstream.host, kind, reason, neverSent: true }))
  }

  cancel(cause: CancelCause): void {
    if (this.#state === 'ended') return
    const wasSent = this.#state === 'sent'
    this.#state = 'ended'
    if (!wasSent) {
      this.#upstream.gate.withdraw(this)
      this.#upstream.breaker.inconclusive()
      return
    }
    const ms = performance.now() - this.#startedAt
    this.#abandon?.()
    recordCancel(this.#upstream, cause, ms)
    this.#upstream.gate.leave()
    this.#report(ms, undefined, undefined)
  }

  #landed(result: WireResult): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    const ms = performance.now() - this.#startedAt
    const outcome = this.#outcomeOf(result)
    if (result.kind === 'unsendable') this.#upstream.breaker.inconclusive()
    else record(this.#upstream, outcome, ms, (failure) => this.#isBlameless(failure))
    if (this.#deps.onePlace && result.kind === 'answer') recordPlace(this.#upstream, outcome, result.answer.status)
    this.#upstream.gate.leave()
    this.#report(ms, outcome, result.kind === 'answer' ? result.answer.status : undefined)
    this.#settle(outcome)
  }

  #isBlameless({ kind, blamesCall }: Failure<T>): boolean {
    if (blamesCall && this.#deps.isProbed) return true
    return kind === 'no-room' || (kind === 'too-large' && this.#plan.anyLength === true)
  }

  /** Never throws: nobody would be told, and the place at the gate would stay taken. */
  #outcomeOf(result: WireResult): Outcome<T> {
    const { host } = this.#upstream
    try {
      const outcome = outcomeOf(this.#upstream, this.#plan, result)
      return this.#deps.onePlace ? placed(host, outcome, result) : outcome
    } catch (error) {
      return failed({ host, kind: 'bad-answer', reason: `answer cannot be read: ${messageOf(error)}` })
    }
  }

  #reportWait(ms: number): void {
    const { pool, reporter } = this.#deps
    if (ms >= LEAST_WAIT_MS && reporter.active())
      reporter.report({ kind: 'waited', pool, host: this.#upstream.host, ms })
  }

  #report(ms: number, outcome: Outcome<T> | undefined, status: number | undefined): void {
    const { pool, reporter } = this.#deps
    if (!reporter.active()) return
    const { host } = this.#upstream
    const { calls, hedge, parent, request } = this.#plan
    const told = outcome === undefined ? 'cancelled' : outcome.kind === 'failure' ? outcome.failure.kind : outcome.kind
    const reason = outcome?.kind === 'failure' ? { reason: outcome.failure.reason } : {}
    const traceparent = request.headers['traceparent']
    const span =
      parent === undefined || traceparent === undefined
        ? {}
        : { span: { traceparent, parent, method: request.method, status } }
    reporter.report({ kind: 'attempt', pool, host, outcome: told, ms, calls, hedge, ...reason, ...span })
  }
}

/** Sends one request through an upstream's gate, judges the answer and records what it says about the upstream. */
export const createAttempt = (deps: AttemptDeps): Attempt => {
  return (upstream, plan, settle) => {
    const running = new RunningAttempt(deps, upstream, plan, settle)
    if (!upstream.gate.enter(running, Date.now())) running.refuse('too many calls waiting')
    return (cause) => running.cancel(cause)
  }
}
