import type { BreakerState } from './health/breaker.ts'
import type { FailureKind } from './outcome.ts'

/** One HTTP request's span in a recorded trace. */
export interface AttemptSpan {
  /** As sent: names trace and span. */
  traceparent: string
  /** 16 hex digits: span of the request that caused it. */
  parent: string
  method: string
  /** Undefined = no answer came. */
  status: number | undefined
}

/** Everything a pool decides, for metrics. Of an upstream's address only `host` is ever shown. */
export type UpstreamEvent =
  /** One HTTP request has ended; `calls` is the number of JSON-RPC entries in it. */
  | {
      kind: 'attempt'
      pool: string
      host: string
      outcome: 'answer' | 'truth' | 'cancelled' | FailureKind
      ms: number
      calls: number
      hedge: boolean
      reason?: string
      span?: AttemptSpan
    }
  /** A request stood in the queue of an upstream before it was sent. */
  | { kind: 'waited'; pool: string; host: string; ms: number }
  | { kind: 'failover'; pool: string; from: string; reason: string; method: string }
  | { kind: 'hedge'; pool: string; host: string; method: string }
  | { kind: 'breaker'; pool: string; host: string; state: BreakerState }
  /** A rate limit stops requests; afterwards `perSecond` are sent, growing slowly. */
  | { kind: 'paused'; pool: string; host: string; ms: number; perSecond: number }
  /** From now on the upstream takes no batches (`items` 1), or only smaller ones, on this path. */
  | { kind: 'batch-limit'; pool: string; host: string; items: number }
  | { kind: 'shared'; pool: string; method: string }
  | { kind: 'exhausted'; pool: string; method: string; reason: string }
  | { kind: 'head'; pool: string; host: string; height: bigint }
  /** The pool has ended: what it said of its upstreams holds no longer. */
  | { kind: 'closed'; pool: string }

/**
 * @param from identifies the pool and says nothing else about it: while a pool takes the place of another, both have the
 * same name
 */
export type ObserveUpstream = (event: UpstreamEvent, from: object) => void

/** The part of a pino logger that is used here. */
export interface DebugLogger {
  debug(fields: object, message: string): void
  isLevelEnabled?(level: string): boolean
}

/** Passes events to metrics and, at debug, to the log. `active()` lets the hot path skip events nobody reads. */
export interface Reporter {
  active(): boolean
  report(event: UpstreamEvent): void
}

export const createReporter = (observe: ObserveUpstream | undefined, logger: DebugLogger | undefined): Reporter => {
  const debugging = (): boolean => logger !== undefined && (logger.isLevelEnabled?.('debug') ?? true)
  const from = {}
  return {
    active: () => observe !== undefined || debugging(),
    report: (event) => {
      try {
        observe?.(event, from)
      } catch (error) {
        // Metrics must not be able to break a call in the middle of its bookkeeping.
        logger?.debug({ err: error }, 'upstream observer failed')
      }
      if (logger && debugging()) {
        const { kind, ...fields } = event
        const height = 'height' in fields ? { height: fields.height.toString() } : {}
        logger.debug({ ...fields, ...height }, `upstream ${kind}`)
      }
    },
  }
}
