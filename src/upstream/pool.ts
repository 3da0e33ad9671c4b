import { BadInputError } from '../errors.ts'
import { hostNames } from '../lib/http/host-names.ts'
import { childTraceparent, currentTrace, type TraceContext } from '../lib/http/trace-context.ts'
import { createFlights, mayJoin } from './calls/flights.ts'
import { createHedgeBudget } from './calls/hedge-budget.ts'
import { createRanking } from './calls/ranking.ts'
import { createRunner, type RunnerDeps } from './calls/read-run.ts'
import { createReader, type Read, type ReaderDeps } from './calls/reader.ts'
import type { Task } from './calls/task.ts'
import { READS_PER_HEDGE } from './defaults.ts'
import { createReporter, type DebugLogger, type ObserveUpstream, type Reporter } from './events.ts'
import { createHeadWatch } from './health/head-probe.ts'
import { createIdentityGuard } from './health/identity.ts'
import { type Attempt, createAttempt } from './http/attempt.ts'
import { createExchange } from './http/exchange.ts'
import { createJsonGetter } from './http/json-get.ts'
import { createUpstreamRegistry, type UpstreamRegistry } from './http/origin-registry.ts'
import { createBatchLimit } from './json-rpc/batch-limit.ts'
import { type Batcher, createBatcher, jsonRequest } from './json-rpc/batcher.ts'
import { JsonText } from './json-rpc/json-text.ts'
import { type RpcEntry, readSingle, writeEntry } from './json-rpc/rpc-message.ts'
import { type Cancel, checked, doubted, type Settle } from './outcome.ts'
import type { CallOptions, HeadProbe, IdentityProbe, PoolLimits, UpstreamPool, UpstreamSpec } from './types.ts'
import { createUpstream, type Upstream, type UpstreamDeps } from './upstream.ts'

export interface UpstreamPoolDeps {
  /** Shares connections between pools; left out = the pool has its own. */
  registry?: UpstreamRegistry
  headProbe?: HeadProbe
  /** Left out = the upstreams are believed, or the caller checks them itself. */
  identity?: IdentityProbe
  /**
   * Called when the chain was reset, as test networks are: a server came back with a lower tip than before, and no
   * other has the old one. Needs a head probe.
   */
  onReset?: () => void
  /**
   * All questions go to one place of each upstream, the endpoint of one chain. An upstream that has nothing there (404)
   * is asked last for a while, but does not count as failing.
   */
  onePlace?: boolean
  observe?: ObserveUpstream
  logger?: DebugLogger
}

/**
 * Longer parameters, characters, are not compared with those of calls in flight: that would cost another copy of each,
 * and a caller with such large parameters shares its reads itself.
 */
const LONGEST_SHARED = 16_384

/** Keeps one batcher per (upstream, path). Paths come from adapters, not from users, so there are few. */
const createBatchers = (pool: string, attempt: Attempt, reporter: Reporter) => {
  const batchers = new Map<Upstream, Map<string, Batcher>>()
  return (upstream: Upstream, path: string): Batcher => {
    let byPath = batchers.get(upstream)
    if (!byPath) {
      byPath = new Map()
      batchers.set(upstream, byPath)
    }
    let batcher = byPath.get(path)
    if (!batcher) {
      const limit = createBatchLimit(upstream.limits.batchItems, (items) =>
        reporter.report({ kind: 'batch-limit', pool, host: upstream.host, items }),
      )
      batcher = createBatcher({ upstream, path, attempt, limit })
      byPath.set(path, batcher)
    }
    return batcher
  }
}

const stringifyParams = (method: string, params: unknown): string | undefined => {
  if (params instanceof JsonText) return params.text
  try {
    return params === undefined ? undefined : JSON.stringify(params)
  } catch (error) {
    throw new BadInputError(`${method}: parameters cannot be written as JSON`, error)
  }
}

/**
 * The breaker has already judged the HTTP request, not each entry of a batch: a wrong entry is counted against the
 * upstream here.
 */
const settleChecked =
  (upstream: Upstream, { check, doubts }: CallOptions, settle: Settle<unknown>): Settle<unknown> =>
  (outcome) => {
    const judged = checked(upstream.host, outcome, check)
    if (judged !== outcome) upstream.failed()
    settle(doubted(upstream.host, judged, doubts))
  }

/** Writes and calls with `batch: false` are sent alone; all others go through the batcher. */
const createRpcLauncher =
  (attempt: Attempt, batcherOf: (upstream: Upstream, path: string) => Batcher) =>
  (path: string, entry: RpcEntry, options: CallOptions, trace: TraceContext | undefined) =>
  (upstream: Upstream, hedge: boolean, done: Settle<unknown>): Cancel => {
    const settle = options.check || options.doubts ? settleChecked(upstream, options, done) : done
    const traceparent = childTraceparent(trace)
    const parent = trace?.spanId
    const { signal: partOf, onSent, anyLength } = options
    if (options.idempotent !== false && options.batch !== false && upstream.limits.batchItems > 1)
      return batcherOf(upstream, path).add(entry, { hedge, parent, partOf, onSent, anyLength, traceparent }, settle)
    const request = jsonRequest(upstream, path, writeEntry(entry, 1), traceparent)
    const length = { anyLength, keepsRoom: true }
    return attempt(upstream, { request, read: readSingle, calls: 1, hedge, parent, partOf, onSent, ...length }, settle)
  }

/** Calls with the same text share one answer, if they may. */
const createRpcCaller =
  (launchRpc: ReturnType<typeof createRpcLauncher>, read: Read): UpstreamPool['rpc'] =>
  async <T>(path: string, method: string, params: unknown, options: CallOptions = {}): Promise<T> => {
    const entry: RpcEntry = { method, params: stringifyParams(method, params) }
    const launch = launchRpc(path, entry, options, currentTrace())
    const shared = mayJoin(options) && (entry.params?.length ?? 0) <= LONGEST_SHARED
    const key = shared ? `${path}\n${method}\n${entry.params ?? ''}` : undefined
    return read(key, method, options, launch as Task<T>['launch'])
  }

type ReadDeps = Omit<RunnerDeps, 'hedges' | 'answeredFirst' | 'liveProbes'> & Pick<ReaderDeps, 'guard' | 'watch'>

/** Shared reads. `read` passes answers on unchanged; `readNow` holds them while the head is in doubt. */
const createReads = ({ watch, guard, ...run }: ReadDeps) => {
  const { pool, scheduler, reporter } = run
  const runner = createRunner({
    ...run,
    hedges: createHedgeBudget(READS_PER_HEDGE),
    answeredFirst: new WeakMap(),
    liveProbes: watch === undefined,
  })
  const flights = createFlights(pool, scheduler)
  const read = createReader({ pool, runner, flights, watch, guard, reporter })
  // Answers that are passed on unchanged are not ours to judge, and a write is not a read.
  const readNow: Read = (key, label, options, launch) =>
    read(key, label, options, watch && options.idempotent !== false ? watch.held(launch) : launch)
  return { read, readNow, isAsked: () => flights.size > 0, close: flights.close }
}

const createUpstreams = (specs: readonly UpstreamSpec[], limits: PoolLimits, deps: UpstreamDeps): Upstream[] => {
  const names = hostNames(specs.map(({ url }) => url))
  return specs.map((spec, index) => createUpstream({ name: names[index] as string, ...spec }, index, limits, deps))
}

/**
 * A set of servers that answer the same questions. The first in `specs` is asked first while all are equally healthy.
 * Parsed answers are shared between callers (coalescing): treat them as read-only.
 */
export const createUpstreamPool = (
  name: string,
  specs: readonly UpstreamSpec[],
  limits: PoolLimits,
  deps: UpstreamPoolDeps = {},
): UpstreamPool => {
  if (specs.length === 0) throw new BadInputError(`${name}: no upstream configured`)
  const registry = deps.registry ?? createUpstreamRegistry()
  const { scheduler } = registry
  const reporter = createReporter(deps.observe, deps.logger)
  const onHealthChange = (): void => ranking.invalidate()
  const alone = new WeakSet<Upstream>()
  const onAway = (upstream: Upstream): void => {
    guard?.wasAway(upstream)
    watch?.wentAway(upstream)
  }
  const onAlone = (upstream: Upstream): void => {
    alone.add(upstream)
    guard?.wasAlone(upstream)
  }
  const upstreams = createUpstreams(specs, limits, { pool: name, registry, reporter, onHealthChange, onAway, onAlone })
  const ranking = createRanking(upstreams)
  const { headProbe: probe, onePlace = false } = deps
  const attempt = createAttempt({ pool: name, reporter, onePlace, isProbed: probe !== undefined })
  const guard = deps.identity && createIdentityGuard(deps.identity, attempt)
  const isForeign = guard?.isForeign ?? (() => false)
  const tell = {
    isForeign,
    wasAlone: (upstream: Upstream) => alone.delete(upstream),
    onFall: (upstream: Upstream) => guard?.wasAway(upstream),
    onReset: () => deps.onReset?.(),
  }
  const watch = probe && createHeadWatch({ pool: name, probe, upstreams, attempt, scheduler, reporter, ...tell })
  const reads = createReads({ pool: name, upstreams, limits, ranking, scheduler, watch, guard, reporter })
  const { read, readNow } = reads

  return {
    name,
    rpc: createRpcCaller(createRpcLauncher(attempt, createBatchers(name, attempt, reporter)), readNow),
    getJson: createJsonGetter({ attempt, read: readNow }),
    exchange: createExchange({ attempt, read }),
    head: () => watch?.head(),
    status: () => upstreams.map((upstream) => upstream.status(isForeign(upstream))),
    isAsked: reads.isAsked,
    close: async () => {
      watch?.close()
      reads.close()
      await Promise.all(upstreams.map((upstream) => upstream.release()))
      reporter.report({ kind: 'closed', pool: name })
    },
  }
}
