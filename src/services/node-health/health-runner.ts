import type { Logger } from 'pino'
import { messageOf } from '../../errors.ts'
import { formatGoTime, GO_ZERO_TIME } from '../../lib/json/go-time.ts'
import { untilAborted } from '../../lib/waiting/until-aborted.ts'
import {
  APPLICATION_TAG,
  type HealthCheck,
  type HealthMessage,
  type HealthReport,
  type HealthReportKind,
  type HealthResult,
  NotYetError,
  UnhealthyError,
} from './health-check.ts'

/** Runs checks periodically and reports their results, as a node does. */
export interface NodeHealth {
  /** Includes the check in every run, and runs it at once if the runner has started; until then it is `not yet run`. */
  registerCheck(check: HealthCheck): void
  /** Without tags everything; with tags the checks with one of them and those of every node (`application`). */
  report(kind: HealthReportKind, tags: readonly string[]): HealthReport
  /** Result of the last run of a check; undefined if it has not run. */
  resultOf(name: string): HealthResult | undefined
  /** Runs all checks now, or waits for the current run. */
  runNow(): Promise<void>
  /** Runs at once, then periodically until `stop`. */
  start(): void
  stop(): void
}

export interface NodeHealthDeps {
  /** Time between the starts of two runs, milliseconds. */
  frequencyMs: number
  /** Timeout of a single check, milliseconds. Default 10 s. */
  timeoutMs?: number
  /** True = this server is still starting: the checks then run every second, for some minutes at most. */
  starting?: () => boolean
  logger?: Logger
}

const TIMEOUT_MS = 10_000
/** Clients that wait for a server to become ready should not wait for the next regular run. */
const STARTING_EVERY_MS = 1_000
const STARTING_FOR_MS = 300_000
/** Node conventions 7: all checks, whatever their tags. */
const ALL_TAG = 'all'

const NOT_YET_RUN: HealthResult = {
  error: 'not yet run',
  timestamp: GO_ZERO_TIME,
  duration: 0,
  contiguousFailures: 0,
  timeOfFirstFailure: null,
}

interface Outcome {
  message: HealthMessage | undefined
  error?: string
  isYet?: boolean
}

async function outcomeOf(check: HealthCheck, timeoutMs: number): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    // A check that ignores the signal must not hold up the results of the others.
    return { message: await untilAborted(Promise.resolve(check.run(signal)), signal) }
  } catch (error) {
    if (signal.aborted) return { message: undefined, error: `no result within ${timeoutMs / 1_000}s` }
    const message = error instanceof UnhealthyError ? error.details : undefined
    return { message, error: messageOf(error), isYet: error instanceof NotYetError }
  }
}

function resultOf(outcome: Outcome, before: HealthResult | undefined, startedAt: bigint): HealthResult {
  const { message, error } = outcome
  const timestamp = formatGoTime(Date.now())
  return {
    ...(message === undefined ? {} : { message }),
    ...(error === undefined ? {} : { error }),
    timestamp,
    duration: Number(process.hrtime.bigint() - startedAt),
    contiguousFailures: error === undefined ? 0 : (before?.contiguousFailures ?? 0) + 1,
    timeOfFirstFailure: error === undefined ? null : (before?.timeOfFirstFailure ?? timestamp),
  }
}

/** Go sorts by bytes; names of chains may contain any character. */
const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const belongs = (check: HealthCheck, tags: readonly string[]): boolean => {
  if (tags.length === 0 || tags.includes(ALL_TAG)) return true
  return check.tags().some((tag) => tag === APPLICATION_TAG || tags.includes(tag))
}

export function createNodeHealth(deps: NodeHealthDeps): NodeHealth {
  const { frequencyMs, timeoutMs = TIMEOUT_MS, starting = () => false, logger } = deps
  const checks = new Map<string, HealthCheck>()
  const results = new Map<string, HealthResult>()
  /** Checks whose failure the log tells of, and those that have passed since the start. */
  const [warned, passed] = [new Set<string>(), new Set<string>()]
  let startsUntil = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const runOne = async (check: HealthCheck): Promise<void> => {
    const startedAt = process.hrtime.bigint()
    const outcome = await outcomeOf(check, timeoutMs)
    if (checks.get(check.name) !== check) return
    const before = results.get(check.name)
    const result = resultOf(outcome, before, startedAt)
    results.set(check.name, result)
    if (result.error === undefined) {
      if (before?.error !== undefined) logger?.info({ check: check.name }, 'health check passes again')
      warned.delete(check.name)
      passed.add(check.name)
      return
    }
    const isExpected = outcome.isYet === true && !passed.has(check.name) && performance.now() < startsUntil
    if (warned.has(check.name) || isExpected) return
    warned.add(check.name)
    logger?.warn({ check: check.name, error: result.error }, 'health check fails')
  }
  const runAll = async (): Promise<void> => {
    const all = [...checks.values()]
    await Promise.all(all.filter((check) => !check.afterOthers).map(runOne))
    await Promise.all(all.filter((check) => check.afterOthers).map(runOne))
  }
  const runNow = (): Promise<void> => {
    running ??= runAll().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    registerCheck: (check) => {
      checks.set(check.name, check)
      results.delete(check.name)
      warned.delete(check.name)
      passed.delete(check.name)
      if (timer) void runOne(check)
    },
    report: (kind, tags) => {
      const chosen = [...checks.values()].filter(
        (check) => (check.reports ?? ['health']).includes(kind) && belongs(check, tags),
      )
      const found = chosen
        .sort((a, b) => bytewise(a.name, b.name))
        .map(({ name }): [string, HealthResult] => [name, results.get(name) ?? NOT_YET_RUN])
      return { checks: new Map(found), healthy: found.every(([, { error }]) => error === undefined) }
    },
    resultOf: (name) => results.get(name),
    runNow,
    start: () => {
      if (timer) return
      startsUntil = performance.now() + STARTING_FOR_MS
      const tick = (): void => {
        void runNow()
        const hurry = performance.now() < startsUntil && starting()
        timer = setTimeout(tick, hurry ? Math.min(frequencyMs, STARTING_EVERY_MS) : frequencyMs)
        timer.unref()
      }
      tick()
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
