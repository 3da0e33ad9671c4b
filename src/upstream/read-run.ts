import { RETRY_BACKOFF_MS } from './defaults.ts'
import type { Reporter } from './events.ts'
import { concludeFailures, describeFailures } from './failure-report.ts'
import type { HedgeBudget } from './hedge-budget.ts'
import type { Cancel, CancelCause, Failure, FailureKind, Outcome, Settle } from './outcome.ts'
import type { Ranking } from './ranking.ts'
import type { Scheduled, Scheduler } from './scheduler.ts'
import type { PoolLimits } from './types.ts'
import type { Upstream } from './upstream.ts'

/** One question that any upstream of the pool may answer. */
export interface Task<T> {
  /** For events: the JSON-RPC or HTTP method. */
  label: string
  /** False = one attempt only, unless nothing was sent. */
  idempotent: boolean
  /** Time by which the last waiting caller wants the answer. */
  deadline(): number
  launch(upstream: Upstream, hedge: boolean, settle: Settle<T>): Cancel
}

export interface Run {
  cancel: Cancel
  /** What went wrong so far, and who is being asked. */
  describe(): string
}

export interface RunnerDeps {
  pool: string
  upstreams: readonly Upstream[]
  limits: PoolLimits
  ranking: Ranking
  scheduler: Scheduler
  hedges: HedgeBudget
  reporter: Reporter
  /** Reads serve as probes of open breakers, because no head probe does it. */
  liveProbes: boolean
}

interface Leg {
  upstream: Upstream
  cancel: Cancel | undefined
  ended: boolean
}

/** Trouble that may be over in a moment; the other kinds would only be the same again. */
const PASSING: ReadonlySet<FailureKind> = new Set(['network', 'status', 'bad-answer', 'overloaded'])

/** A p95 is not known yet: wait this many times the minimum before hedging. */
const COLD_HEDGE_FACTOR = 4

const hedgeDelay = (upstream: Upstream, minimum: number): number => {
  // A probe of an upstream that was down must not make its caller wait long.
  if (upstream.breaker.state() !== 'closed') return minimum
  const p95 = upstream.latency.p95()
  return p95 === undefined ? minimum * COLD_HEDGE_FACTOR : Math.max(minimum, p95)
}

/**
 * Asks upstreams until one answers: failover on their own trouble, one hedge when the first is slow, a second round
 * with growing pauses when all failed. Callback style on purpose: it is on every hot path and must be cancellable
 * at any point without an AbortController per call.
 */
export const createRunner = (deps: RunnerDeps) => {
  const { pool, upstreams, limits, ranking, scheduler, hedges, reporter } = deps
  const mayHedge = limits.hedgeMinMs > 0 && upstreams.length > 1

  return <T>(task: Task<T>, settle: Settle<T>): Run => {
    const failures: Failure<T>[] = []
    let tried: Upstream[] = []
    let legs: Leg[] = []
    let attempts = 0
    let round = 0
    let ended = false
    let wait: Scheduled | undefined
    let hedge: Scheduled | undefined
    let hedged = false

    const dropTimers = (): void => {
      if (wait) scheduler.cancel(wait)
      if (hedge) scheduler.cancel(hedge)
      wait = undefined
      hedge = undefined
    }
    const end = (cause: CancelCause): void => {
      ended = true
      dropTimers()
      for (const leg of legs) if (!leg.ended) leg.cancel?.(cause)
    }
    const finish = (outcome: Outcome<T>): void => {
      end('lost')
      settle(outcome)
    }
    const giveUp = (now: number, decisive: readonly Failure<T>[] = failures): void => {
      const resumesAt = ranking.resumesAt(now)
      const outcome = concludeFailures(pool, decisive, resumesAt === undefined ? undefined : resumesAt - now)
      if (reporter.active())
        reporter.report({ kind: 'exhausted', pool, method: task.label, reason: describeFailures(failures) })
      finish(outcome)
    }
    const landed = (leg: Leg, outcome: Outcome<T>): void => {
      leg.ended = true
      if (ended) return
      if (outcome.kind !== 'failure') {
        finish(outcome)
        return
      }
      const { failure } = outcome
      failures.push(failure)
      if (reporter.active())
        reporter.report({ kind: 'failover', pool, from: failure.host, reason: failure.reason, method: task.label })
      if (legs.some((other) => !other.ended)) return
      dropTimers()
      // A write that was sent may have been done: whatever this one upstream said is the end of it.
      if (!task.idempotent && failure.neverSent !== true) giveUp(Date.now(), [failure])
      else next()
    }
    const launch = (upstream: Upstream, isHedge: boolean): void => {
      attempts += 1
      tried.push(upstream)
      const leg: Leg = { upstream, cancel: undefined, ended: false }
      legs = legs.length === 0 ? [leg] : [...legs.filter((other) => !other.ended), leg]
      const cancel = task.launch(upstream, isHedge, (outcome) => landed(leg, outcome))
      if (!leg.ended) leg.cancel = cancel
    }
    const onHedge = (): void => {
      hedge = undefined
      const spare = attempts >= limits.maxAttempts ? undefined : ranking.spare(tried, Date.now())
      if (!spare || !hedges.spend()) return
      hedged = true
      if (reporter.active()) reporter.report({ kind: 'hedge', pool, host: spare.host, method: task.label })
      launch(spare, true)
    }
    const sleepUntil = (time: number): void => {
      if (time >= task.deadline()) {
        giveUp(Date.now())
        return
      }
      wait = scheduler.at(time, () => {
        wait = undefined
        next()
      })
    }
    /** Everyone was asked once or is paused: decide whether waiting makes sense. */
    const nextRound = (now: number): void => {
      const resumesAt = ranking.resumesAt(now)
      const again = failures.some(({ kind }) => PASSING.has(kind))
      tried = []
      round += 1
      if (again) sleepUntil(now + RETRY_BACKOFF_MS * 2 ** (round - 1))
      else if (resumesAt !== undefined && !failures.some(({ kind }) => kind === 'behind')) sleepUntil(resumesAt)
      else giveUp(now)
    }
    const next = (): void => {
      const now = Date.now()
      if (attempts >= limits.maxAttempts) {
        giveUp(now)
        return
      }
      const upstream = ranking.choose(tried, now, deps.liveProbes && task.idempotent)
      if (!upstream) {
        nextRound(now)
        return
      }
      launch(upstream, false)
      if (mayHedge && task.idempotent && !hedged && !ended && !hedge && legs.some((leg) => !leg.ended))
        hedge = scheduler.at(now + hedgeDelay(upstream, limits.hedgeMinMs), onHedge)
    }

    if (mayHedge && task.idempotent) hedges.earn()
    next()
    return {
      cancel: (cause) => {
        if (!ended) end(cause)
      },
      describe: () => {
        const asked = legs.filter((leg) => !leg.ended).map((leg) => `${leg.upstream.host} not answered yet`)
        return [describeFailures(failures), ...asked].filter((text) => text !== '').join('; ')
      },
    }
  }
}
