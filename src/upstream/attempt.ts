import { BadInputError } from '../errors.ts'
import type { Reporter } from './events.ts'
import { type Cancel, type CancelCause, failed, type Outcome, type Settle } from './outcome.ts'
import type { Upstream } from './upstream.ts'
import { sendWire, type WireAnswer, type WireRequest, type WireResult } from './wire.ts'

/** What one HTTP request to one upstream needs. */
export interface AttemptPlan<T> {
  request: WireRequest
  /** Turns the bytes into an outcome: an answer, a truth, or the upstream's own trouble. */
  read(host: string, answer: WireAnswer): Outcome<T>
  /** JSON-RPC entries inside. */
  calls: number
  hedge: boolean
}

export type Attempt = <T>(upstream: Upstream, plan: AttemptPlan<T>, settle: Settle<T>) => Cancel

const outcomeOf = <T>(host: string, plan: AttemptPlan<T>, result: WireResult): Outcome<T> => {
  switch (result.kind) {
    case 'answer':
      return plan.read(host, result.answer)
    case 'cut':
      return failed({ host, kind: 'network', reason: result.reason, neverSent: result.neverSent })
    case 'too-large':
      return failed({ host, kind: 'too-large', reason: result.reason })
    case 'broken':
      return failed({ host, kind: 'bad-answer', reason: result.reason })
    case 'unsendable':
      return { kind: 'truth', error: new BadInputError(`request cannot be sent: ${result.reason}`) }
  }
}

const record = <T>(upstream: Upstream, outcome: Outcome<T>, ms: number): void => {
  if (outcome.kind !== 'failure') {
    upstream.succeeded(ms)
    return
  }
  const { kind, retryAfterMs } = outcome.failure
  if (kind === 'rate-limited') {
    upstream.breaker.inconclusive()
    upstream.pause(retryAfterMs)
  } else if (kind === 'behind' || kind === 'rpc') upstream.succeeded(ms)
  else upstream.failed()
}

/** A shorter silence than this is no reason to doubt an upstream. */
const STALL_MS = 1_000

const recordCancel = (upstream: Upstream, cause: CancelCause, ms: number): void => {
  const p95 = upstream.latency.p95() ?? 0
  // Losing a race says something only about who was slower than usual, not about a hedge that had no time to win.
  const lost = cause === 'lost' && ms >= Math.max(p95, upstream.limits.hedgeMinMs)
  const late = cause === 'deadline' && ms >= Math.max(2 * p95, STALL_MS)
  if (lost || late) upstream.stalled(ms)
  else upstream.breaker.inconclusive()
}

/** Sends one request through an upstream's gate, judges the answer and records what it says about the upstream. */
export const createAttempt = (pool: string, reporter: Reporter): Attempt => {
  const report = <T>(upstream: Upstream, plan: AttemptPlan<T>, ms: number, outcome: Outcome<T> | undefined): void => {
    if (!reporter.active()) return
    const { host } = upstream
    const told = outcome === undefined ? 'cancelled' : outcome.kind === 'failure' ? outcome.failure.kind : outcome.kind
    const reason = outcome?.kind === 'failure' ? { reason: outcome.failure.reason } : {}
    reporter.report({ kind: 'attempt', pool, host, outcome: told, ms, calls: plan.calls, hedge: plan.hedge, ...reason })
  }

  return (upstream, plan, settle) => {
    let abandon: (() => void) | undefined
    let startedAt = 0
    let state: 'waiting' | 'sent' | 'ended' = 'waiting'

    const onResult = (result: WireResult): void => {
      if (state === 'ended') return
      state = 'ended'
      const ms = performance.now() - startedAt
      const outcome = outcomeOf(upstream.host, plan, result)
      if (result.kind === 'unsendable') upstream.breaker.inconclusive()
      else record(upstream, outcome, ms)
      upstream.gate.leave()
      report(upstream, plan, ms, outcome)
      settle(outcome)
    }
    const refuse = (reason: string): void => {
      state = 'ended'
      upstream.breaker.inconclusive()
      const kind = reason === 'rate limited' ? 'rate-limited' : 'overloaded'
      settle(failed({ host: upstream.host, kind, reason, neverSent: true }))
    }
    const ticket = {
      start: () => {
        state = 'sent'
        startedAt = performance.now()
        abandon = sendWire(upstream.dispatcher, plan.request, upstream.limits, onResult)
      },
      refuse,
    }
    if (!upstream.gate.enter(ticket, Date.now())) refuse('too many calls waiting')
    return (cause) => {
      if (state === 'ended') return
      const wasSent = state === 'sent'
      state = 'ended'
      if (!wasSent) {
        upstream.gate.withdraw(ticket)
        upstream.breaker.inconclusive()
        return
      }
      const ms = performance.now() - startedAt
      abandon?.()
      recordCancel(upstream, cause, ms)
      upstream.gate.leave()
      report(upstream, plan, ms, undefined)
    }
  }
}
