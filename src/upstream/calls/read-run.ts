import type { FirnError } from '../../errors.ts'
import { BESIDE_AGAIN_MS, RETRY_BACKOFF_MS } from '../defaults.ts'
import type { Reporter } from '../events.ts'
import { type CancelCause, type Failure, lacks, mayPass, type Outcome, PASSING, type Settle } from '../outcome.ts'
import type { PoolLimits } from '../types.ts'
import type { Upstream } from '../upstream.ts'
import { type Attempt, areUnlikelyToAnswer } from './attempt.ts'
import { allOthersLackIt, concludeFailures, describeFailures, rateLimitOf, silentOf } from './failure-report.ts'
import { type HedgeBudget, hedgeDelay } from './hedge-budget.ts'
import type { Ranking } from './ranking.ts'
import { type AnsweredFirst, noteAnswer, onlyOf } from './same-server.ts'
import type { Scheduled, Scheduler } from './scheduler.ts'
import type { Task } from './task.ts'

export interface Run {
  cancel(cause: CancelCause): void
  /** What went wrong so far, and who is being asked. */
  describe(): string
  /** The error for a caller whose deadline has passed: a rate limit, if nothing else kept the answer from coming. */
  whyLate(): FirnError | undefined
}

export interface RunnerDeps {
  pool: string
  upstreams: readonly Upstream[]
  limits: PoolLimits
  ranking: Ranking
  scheduler: Scheduler
  hedges: HedgeBudget
  reporter: Reporter
  answeredFirst: AnsweredFirst
  /** Reads serve as probes of open breakers, because there is no head probe to do it. */
  liveProbes: boolean
}

/**
 * Asks upstreams until one answers: failover when one is in trouble, hedges while those asked are slow, another round
 * with growing pauses when all failed. Callbacks and a class on purpose: there is one run per call, and it must be
 * cancellable at any point without an AbortController.
 */
class ReadRun<T> implements Run {
  readonly #deps: RunnerDeps
  readonly #task: Task<T>
  readonly #settle: Settle<T>
  readonly #failures: Failure<T>[] = []
  readonly #only: Upstream | undefined
  readonly #mayHedge: boolean
  #first: Upstream | undefined
  #tried: Upstream[] = []
  /** Upstreams that said they lack it, or are on another network; not asked again. */
  #lacking: Upstream[] | undefined
  #running: Attempt[] = []
  #attempts = 0
  #round = 0
  #ended = false
  #wait: Scheduled | undefined
  #hedge: Scheduled | undefined

  constructor(deps: RunnerDeps, task: Task<T>, settle: Settle<T>) {
    this.#deps = deps
    this.#task = task
    this.#settle = settle
    this.#only = task.sameServer && onlyOf(task.sameServer, deps)
    const alone = deps.upstreams.length === 1 || this.#only !== undefined
    this.#mayHedge = task.idempotent && deps.limits.hedgeMinMs !== 0 && !alone
    if (this.#mayHedge) deps.hedges.earn()
  }

  cancel(cause: CancelCause): void {
    if (!this.#ended) this.#end(cause)
  }

  describe(): string {
    const asked = this.#running
      .filter((attempt) => !attempt.ended)
      .map((attempt) => `${attempt.upstream.host} not answered yet`)
    return [describeFailures(this.#failures), ...asked].filter((part) => part !== '').join('; ')
  }

  whyLate(): FirnError | undefined {
    const refused = (upstream: Upstream): boolean => this.#failures.some(({ host }) => host === upstream.host)
    // An upstream that has not answered yet may be the true reason, unless it refused before.
    if (this.#running.some((attempt) => !attempt.ended && !refused(attempt.upstream))) return undefined
    // A run without failures waits for pauses that other calls caused.
    if (this.#failures.length === 0 && !this.#wait) return undefined
    return rateLimitOf(this.#deps.pool, this.#failures, this.#resumesInMs())
  }

  next(): void {
    const now = Date.now()
    const { limits, ranking, liveProbes, scheduler } = this.#deps
    const { idempotent, siblings } = this.#task
    if (this.#attempts >= limits.maxAttempts) {
      this.#giveUp(this.#failures)
      return
    }
    const upstream = this.#only
      ? this.#onlyOne(this.#only, now)
      : this.#unlessAvoided(ranking.choose(this.#tried, now, liveProbes && idempotent, siblings), now)
    if (!upstream) {
      this.#nextRound(now)
      return
    }
    this.#launch(upstream, false)
    if (!this.#mayHedge || this.#ended || this.#hedge || !this.#isWaiting()) return
    this.#hedge = scheduler.at(now + hedgeDelay(upstream, limits.hedgeMinMs), () => this.#askAnother(false))
  }

  /** Another upstream instead of `chosen`, if `chosen` is to be avoided and there is another. */
  #unlessAvoided(chosen: Upstream | undefined, now: number): Upstream | undefined {
    const { avoid } = this.#task
    // An upstream chosen as the probe of its breaker must be asked.
    if (!avoid || !chosen || chosen.breaker.state() !== 'closed' || !avoid(chosen.host)) return chosen
    return this.#deps.ranking.instead([...this.#tried, ...this.#avoided(avoid)], now) ?? chosen
  }

  #avoided(avoid: (host: string) => boolean): Upstream[] {
    return this.#deps.upstreams.filter(({ host }) => avoid(host))
  }

  #onlyOne(upstream: Upstream, now: number): Upstream | undefined {
    return this.#tried.includes(upstream) || upstream.pausedUntil() > now ? undefined : upstream
  }

  #launch(upstream: Upstream, isHedge: boolean): void {
    this.#attempts += 1
    this.#first ??= upstream
    this.#tried.push(upstream)
    const attempt: Attempt = { upstream, since: performance.now(), cancel: undefined, ended: false }
    this.#running = this.#running.length === 0 ? [attempt] : [...this.#running.filter((other) => !other.ended), attempt]
    const cancel = this.#task.launch(upstream, isHedge, (outcome) => this.#onOutcome(attempt, outcome))
    if (!attempt.ended) attempt.cancel = cancel
  }

  #onOutcome(attempt: Attempt, outcome: Outcome<T>): void {
    attempt.ended = true
    if (this.#ended) return
    if (outcome.kind !== 'failure') {
      noteAnswer(this.#task.sameServer, attempt.upstream, this.#deps)
      for (const other of this.#running) if (!other.ended) other.upstream.outpaced()
      this.#finish(this.#withResponder(outcome, attempt))
      return
    }
    const { failure } = outcome
    const { fallback } = failure
    this.#failures.push(
      fallback === undefined ? failure : { ...failure, fallback: this.#withResponder(fallback, attempt) },
    )
    if (lacks(failure) || failure.kind === 'foreign') {
      this.#attempts -= 1
      this.#lacking = [...(this.#lacking ?? []), attempt.upstream]
    }
    const { pool, reporter } = this.#deps
    if (reporter.active())
      reporter.report({ kind: 'failover', pool, from: failure.host, reason: failure.reason, method: this.#task.label })
    if (this.#isWaiting()) {
      // The upstreams still being asked may hang: another is asked in place of the one that failed.
      this.#askAnother(true)
      return
    }
    this.#dropTimers()
    // A write that was sent may have been carried out, so this upstream's answer is final.
    if (!this.#task.idempotent && failure.neverSent !== true) this.#giveUp([failure])
    else this.next()
  }

  #withResponder(outcome: Outcome<T>, { upstream }: Attempt): Outcome<T> {
    if (outcome.kind !== 'answer') return outcome
    const by = { server: upstream, stoodIn: upstream !== this.#first, lags: upstream.lagging() }
    return { kind: 'answer', value: outcome.value, by }
  }

  /**
   * Asks another upstream beside those that are being asked, and looks again a little later: none may have been free, the
   * budget for hedges may be used up, or the other one may hang as well.
   * @param inPlace of one that failed: no more are asked at once than before
   * @param again true for such a later look
   */
  #askAnother(inPlace: boolean, again = false): void {
    const { hedges, reporter, pool, ranking, scheduler, upstreams } = this.#deps
    if (this.#hedge) scheduler.cancel(this.#hedge)
    const now = Date.now()
    const found = this.#spare(now, again)
    // Free of the budget, since they add little load: asking in place of upstreams that are known not to answer, and asking
    // once more one that did not have the thing.
    const isFree =
      inPlace || areUnlikelyToAnswer(this.#running, again) || (found && this.#lacking?.includes(found) === true)
    const spare = found && (isFree || hedges.spend()) ? found : undefined
    if (again && allOthersLackIt(upstreams, this.#failures)) {
      this.#giveUp(this.#failures)
      return
    }
    const resumesAt = Math.min(ranking.resumesAt(now) ?? Number.POSITIVE_INFINITY, now + BESIDE_AGAIN_MS)
    this.#hedge = scheduler.at(resumesAt, () => this.#askAnother(inPlace && !spare, true))
    if (!spare) return
    if (!inPlace && reporter.active())
      reporter.report({ kind: 'hedge', pool, host: spare.host, method: this.#task.label })
    this.#launch(spare, true)
  }

  /** The upstream to ask beside those that are being asked. */
  #spare(now: number, again: boolean): Upstream | undefined {
    const { limits, ranking } = this.#deps
    const { avoid } = this.#task
    if (this.#attempts >= limits.maxAttempts) return undefined
    // An upstream with a rate limit may be asked again after its pause, and one that did not have the thing may have it by
    // then; but none is asked twice at the same time.
    const mayAgain = (upstream: Upstream) =>
      this.#running.every((attempt) => attempt.ended || attempt.upstream !== upstream) &&
      this.#failures.some(
        (one) => one.host === upstream.host && (one.kind === 'rate-limited' || (again && (mayPass(one) || lacks(one)))),
      )
    const out = this.#tried.filter((upstream) => !mayAgain(upstream))
    const spare = ranking.spare(avoid ? [...out, ...this.#avoided(avoid)] : out, now)
    const isLate = ({ ended, upstream }: Attempt): boolean => ended || upstream.lagging() || !!avoid?.(upstream.host)
    if (spare || !this.#lacking || !this.#running.every(isLate)) return spare
    // Others do not have the thing, so those that lag are asked for it, and those to be avoided: one a second, and not each
    // only when the one before has used up its time, since all of them may hang.
    return ranking.instead(this.#tried, now)
  }

  /** Everyone was asked once or is paused: decide whether waiting makes sense. */
  #nextRound(now: number): void {
    const resumesAt = this.#deps.ranking.resumesAt(now)
    // Servers on other networks say nothing about this one.
    const own = this.#failures.filter(({ kind }) => kind !== 'foreign')
    const hasLacked = (host: string): boolean => this.#lacking?.some((upstream) => upstream.host === host) === true
    // Upstreams that did not understand the question will not do so next time, and a pause rarely changes the others.
    const again =
      own.some(({ kind, host }) => PASSING.has(kind) && !hasLacked(host)) &&
      !own.some(({ kind }) => kind === 'doubtful')
    this.#tried = [...(this.#lacking ?? [])]
    this.#round += 1
    if (again) this.#sleepUntil(now + RETRY_BACKOFF_MS * 2 ** (this.#round - 1))
    else if (resumesAt !== undefined && own.every(({ kind }) => kind === 'rate-limited')) this.#sleepUntil(resumesAt)
    else this.#giveUp(this.#failures)
  }

  #sleepUntil(time: number): void {
    if (time >= this.#task.deadline()) {
      this.#giveUp(this.#failures)
      return
    }
    this.#wait = this.#deps.scheduler.at(time, () => {
      this.#wait = undefined
      this.next()
    })
  }

  #resumesInMs(): number | undefined {
    const now = Date.now()
    const resumesAt = this.#deps.ranking.resumesAt(now)
    return resumesAt === undefined ? undefined : resumesAt - now
  }

  #giveUp(decisive: readonly Failure<T>[]): void {
    const { pool, reporter } = this.#deps
    const asked = this.#only ? [this.#only] : this.#deps.upstreams
    const outcome = concludeFailures(pool, decisive, this.#resumesInMs(), silentOf(asked, this.#failures))
    if (reporter.active())
      reporter.report({ kind: 'exhausted', pool, method: this.#task.label, reason: describeFailures(this.#failures) })
    this.#finish(outcome)
  }

  #finish(outcome: Outcome<T>): void {
    this.#end('lost')
    this.#settle(outcome)
  }

  #end(cause: CancelCause): void {
    this.#ended = true
    this.#dropTimers()
    for (const attempt of this.#running) if (!attempt.ended) attempt.cancel?.(cause)
  }

  #isWaiting(): boolean {
    return this.#running.some((attempt) => !attempt.ended)
  }

  #dropTimers(): void {
    for (const timer of [this.#wait, this.#hedge]) if (timer) this.#deps.scheduler.cancel(timer)
    this.#wait = undefined
    this.#hedge = undefined
  }
}

export type Runner = <T>(task: Task<T>, settle: Settle<T>) => Run

export const createRunner =
  (deps: RunnerDeps): Runner =>
  (task, settle) => {
    const run = new ReadRun(deps, task, settle)
    run.next()
    return run
  }
