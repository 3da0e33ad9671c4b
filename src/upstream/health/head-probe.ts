import { steadyNow } from '../../lib/steady-clock.ts'
import type { Scheduled, Scheduler } from '../calls/scheduler.ts'
import type { Task } from '../calls/task.ts'
import type { Reporter } from '../events.ts'
import type { Attempt } from '../http/attempt.ts'
import { documentRequest } from '../http/document-request.ts'
import type { WireAnswer, WireRequest } from '../http/wire.ts'
import { jsonRequest } from '../json-rpc/batcher.ts'
import { readSingle, writeEntry } from '../json-rpc/rpc-message.ts'
import { judgeStatus } from '../json-rpc/verdicts.ts'
import { failed, mapAnswer, mayPass, type Outcome } from '../outcome.ts'
import type { HeadProbe } from '../types.ts'
import type { Upstream } from '../upstream.ts'
import { createDoubts, type Doubts } from './doubts.ts'
import { createHeadComparison, type HeadComparison, STILL_INTERVALS } from './head-comparison.ts'
import { createHeadHold, type HeadHold } from './head-hold.ts'

/** Follows every upstream's tip while the pool is in use. */
export interface HeadWatch extends Pick<HeadComparison, 'wentAway'> {
  /** Marks the pool as used; starts the watch if it sleeps. */
  touch(): void
  head(): bigint | undefined
  /**
   * Keeps answers of laggards from the first callers after a start or an idle time. Keeps from all callers the answers
   * of servers that lack old blocks or say that they cannot know (`HeadProbe.doubt`).
   */
  readonly held: HeadHold['held']
  close(): void
}

/** The watch goes to sleep after this many intervals without a call. */
const IDLE_INTERVALS = 5
/** Heights up to this many intervals old still show who is stuck; if they are older, answers wait for new ones. */
const KNOWN_INTERVALS = 12
/** If fewer requests than this may be sent between two probes, heights are asked for only when no call waits. */
const REQUESTS_PER_PROBE = 10

const requestTo = (upstream: Upstream, { path, method, params }: HeadProbe): WireRequest => {
  if (method === undefined) return documentRequest(upstream, path)
  return jsonRequest(upstream, path, writeEntry({ method, params: JSON.stringify(params) }, 1), undefined)
}

interface Tip {
  height: bigint
  doubt: string | undefined
}

/** What a server tells of its tip; undefined if it is healthy and has no document with the tip. */
const readerOf =
  ({ method, parse, doubt }: HeadProbe) =>
  (host: string, answer: WireAnswer): Outcome<Tip | undefined> => {
    const height = (value: unknown): Outcome<Tip> => {
      try {
        return { kind: 'answer', value: { height: parse(value), doubt: doubt?.(value) } }
      } catch {
        return failed({ host, kind: 'bad-answer', reason: 'no height in head probe' })
      }
    }
    if (method !== undefined) return mapAnswer(readSingle(host, answer), height)
    const trouble = judgeStatus(host, answer.status, answer.headers['retry-after'])
    if (trouble) return failed(trouble)
    if (answer.status === 200) return height(answer.body.toString('utf8'))
    return { kind: 'answer', value: undefined }
  }

/** A node that starts answers, too: with 404 or 503 until its chain is there. A full queue of our own says nothing. */
const isAway = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'failure' && outcome.failure.kind !== 'overloaded' && mayPass(outcome.failure)

export const createHeadWatch = (deps: {
  pool: string
  probe: HeadProbe
  upstreams: readonly Upstream[]
  /** True if the upstream's height does not count here. */
  isForeign(upstream: Upstream): boolean
  /** Whether its last connection was closed since the previous call of this function. */
  wasAlone(upstream: Upstream): boolean
  /** Called when a tip falls by more than servers behind one address differ: it may be another chain. */
  onFall(upstream: Upstream): void
  /** Called when the last server with the highest tip came back with a lower one: the chain was reset. */
  onReset(): void
  attempt: Attempt
  scheduler: Scheduler
  reporter: Reporter
}): HeadWatch => {
  const { pool, probe, upstreams, isForeign, attempt, scheduler, reporter } = deps
  const read = readerOf(probe)
  const hold = createHeadHold(scheduler)
  const doubts = createDoubts(STILL_INTERVALS * probe.intervalMs, (upstream) => ask(upstream))
  /** A lone upstream is behind nobody, but may itself say that it cannot know. */
  const mayWait = upstreams.length > 1 || probe.doubt !== undefined
  const knownFor = (probe.doubt ? STILL_INTERVALS : KNOWN_INTERVALS) * probe.intervalMs
  const comparison = createHeadComparison(upstreams, isForeign, probe.intervalMs)
  const asking = new Set<Upstream>()
  let usedAt = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let timer: Scheduled | undefined
  let closed = false

  /** Probing uses so small a part of the server's rate limit that other calls need not wait. */
  const isCheap = ({ limits }: Upstream): boolean =>
    limits.requestsPerSecond * probe.intervalMs >= 1_000 * REQUESTS_PER_PROBE
  const heard = (upstream: Upstream, { height, doubt }: Tip, askedAt: number): void => {
    const before = upstream.height()
    doubts.told(upstream, doubt)
    if (before !== height) reporter.report({ kind: 'head', pool, host: upstream.host, height })
    const wasAlone = deps.wasAlone(upstream)
    if (before !== undefined && before - height > BigInt(upstream.limits.maxLagBlocks)) deps.onFall(upstream)
    upstream.sawHeight(height)
    if (before !== undefined && height < before && wasAlone && comparison.wasReset(upstream, before)) deps.onReset()
    heardAt = steadyNow()
    comparison.told(upstream, height, askedAt)
  }
  const ask = (upstream: Upstream): void => {
    const now = Date.now()
    const { breaker } = upstream
    if (asking.has(upstream) || upstream.pausedUntil() > now) return
    if (!isCheap(upstream) && !upstream.gate.room(now)) return
    if (breaker.state() !== 'closed' && !breaker.probeDue(now)) return
    breaker.takeProbe(now)
    asking.add(upstream)
    const askedAt = steadyNow()
    const plan = { request: requestTo(upstream, probe), read, calls: 1, hedge: false, urgent: true }
    attempt(upstream, plan, (outcome) => {
      asking.delete(upstream)
      if (!closed && outcome.kind === 'answer' && outcome.value !== undefined) heard(upstream, outcome.value, askedAt)
      else if (isAway(outcome)) comparison.wentAway(upstream)
      if (asking.size === 0) hold.known()
    })
  }
  const tick = (): void => {
    timer = undefined
    if (closed || steadyNow() - usedAt > IDLE_INTERVALS * probe.intervalMs) return
    for (const upstream of upstreams) ask(upstream)
    timer = scheduler.at(Date.now() + probe.intervalMs, tick)
  }
  return {
    touch: () => {
      usedAt = steadyNow()
      if (timer || closed) return
      if (mayWait && usedAt - heardAt > knownFor) hold.begin()
      tick()
      if (asking.size === 0) hold.known()
    },
    head: comparison.head,
    held: (launch) => unlessUnbelieved(hold.held(launch), doubts, comparison.tooOld),
    wentAway: comparison.wentAway,
    close: () => {
      closed = true
      hold.known()
      if (timer) scheduler.cancel(timer)
      timer = undefined
    },
  }
}

/** A server that lacks old blocks, or says that it cannot know, is not believed, even if no other one answers. */
const unlessUnbelieved =
  <T>(
    launch: Task<T>['launch'],
    doubts: Doubts,
    tooOld: (upstream: Upstream) => Outcome<never> | undefined,
  ): Task<T>['launch'] =>
  (upstream, hedge, settle) => {
    const late = doubts.ofLate(upstream) ?? tooOld(upstream)
    if (!late) return launch(upstream, hedge, (outcome) => settle(doubts.of(upstream) ?? tooOld(upstream) ?? outcome))
    // It is not sent, so another call may be the probe of the breaker: without one the doubt would never end.
    upstream.breaker.inconclusive()
    settle(late)
    return () => undefined
  }
