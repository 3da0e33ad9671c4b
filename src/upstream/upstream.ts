import type { Dispatcher } from 'undici'
import { splitCredentials } from '../lib/http/url-credentials.ts'
import { MAX_PAUSE_MS, MAX_RETRY_AFTER_MS, MAX_WAITING, PAUSE_MS } from './defaults.ts'
import type { Reporter } from './events.ts'
import { type Breaker, createBreaker } from './health/breaker.ts'
import { createErrorRate } from './health/error-rate.ts'
import { createLatencyEstimator, type LatencyEstimator } from './health/latency.ts'
import { createPresence, type Presence } from './health/presence.ts'
import { createSilence, type Silence } from './health/silence.ts'
import { ACCEPT_ENCODING } from './http/decode.ts'
import type { IncomingDoor } from './http/incoming-room.ts'
import type { UpstreamRegistry } from './http/origin-registry.ts'
import { createOwnKeys, type OwnKeys } from './http/own-keys.ts'
import { createTarget } from './http/target.ts'
import { createGate, type Gate } from './limits/gate.ts'
import { createRateBudget } from './limits/rate-budget.ts'
import type { PoolLimits, UpstreamSpec, UpstreamStatus } from './types.ts'

/** One upstream of one pool: how to reach it, and everything known about its health. */
export interface Upstream extends Presence, Pick<Silence, 'outpaced' | 'silentSince'> {
  readonly host: string
  readonly priority: number
  /** Position in the configuration; the tie-breaker. */
  readonly index: number
  readonly limits: PoolLimits
  readonly dispatcher: Dispatcher
  readonly incoming: IncomingDoor
  readonly gate: Gate
  readonly breaker: Breaker
  readonly latency: LatencyEstimator
  /** Headers of every request: the configured ones. */
  readonly headers: Record<string, string>
  /** True when there are any. */
  readonly ownHeaders: boolean
  /** Headers of a JSON request made here. */
  readonly jsonHeaders: Record<string, string>
  path(path: string): string
  /** Its own keys, which no text of it may carry further. */
  readonly keys: OwnKeys
  /** End of the pause that a rate limit of the upstream demands. */
  pausedUntil(): number
  pause(retryAfterMs: number | undefined): void
  /** The upstream answered (also with an error that is the truth). */
  succeeded(ms: number): void
  /** Network trouble, 5xx, a body that is no answer. */
  failed(): void
  /** A read was given up after `ms` because another attempt won or its caller's time ran out. */
  stalled(ms: number): void
  errorRate(): number
  height(): bigint | undefined
  sawHeight(height: bigint): void
  /** Blocks behind the pool's head; set by the head probe. */
  lag(): number | undefined
  /** Too far behind the others, or behind for too long, to be asked while others answer. */
  lagging(): boolean
  /** @param anyway it lags however few blocks it is behind: it stands still, or has been away */
  setLag(blocks: number | undefined, anyway: boolean): void
  /** @param foreign it is known to be on another network */
  status(foreign: boolean): UpstreamStatus
  release(): Promise<void>
}

export interface UpstreamDeps {
  pool: string
  registry: UpstreamRegistry
  reporter: Reporter
  /** Called when the pool's ranking is out of date. */
  onHealthChange(): void
  /** Called when the breaker opens: the upstream does not answer for now. */
  onAway(upstream: Upstream): void
  /** Called when the last connection has closed: the next one may lead to another server. */
  onAlone(upstream: Upstream): void
}

/** Compression saves traffic with remote servers; on the own network it would only cost time on both sides. */
const acceptEncoding = ({ url }: UpstreamSpec): string =>
  new URL(url).protocol === 'https:' ? ACCEPT_ENCODING : 'identity'

/** @param onLimit called once for the refusals of calls that were under way together */
const createPause = (onLimit: (now: number) => void, onPause: (ms: number) => void) => {
  let until = 0
  let inRow = 0
  return {
    until: () => {
      // Longer than any pause can be: the clock was set back.
      if (until - Date.now() > MAX_RETRY_AFTER_MS) until = 0
      return until
    },
    reset: () => {
      inRow = 0
    },
    set: (retryAfterMs: number | undefined) => {
      const now = Date.now()
      // A wait of zero, as when the server's clock is behind ours, is not a useful answer to a refused call.
      const ms = retryAfterMs || Math.min(PAUSE_MS * 2 ** inRow, MAX_PAUSE_MS)
      // Answers to requests already under way repeat the same refusal: one pause for all, not a longer one for each.
      if (now >= until) {
        inRow += 1
        onLimit(now)
      }
      if (now + ms <= until) return
      until = now + ms
      onPause(ms)
    },
  }
}

const createHealth = (breaker: Breaker, latency: LatencyEstimator, onChange: () => void) => {
  const errors = createErrorRate()
  const failed = (): void => {
    const now = Date.now()
    errors.add(true, now)
    breaker.failure(now)
    onChange()
  }
  return {
    errorRate: () => errors.at(Date.now()),
    succeeded: (ms: number) => {
      latency.add(ms)
      errors.add(false, Date.now())
      breaker.success()
    },
    failed,
    stalled: (ms: number) => {
      // The true latency is unknown but at least this: the estimate must grow, or a hanging upstream stays first.
      latency.add(ms)
      failed()
    },
  }
}

/** Results of the head probe: the upstream's tip, and how far it is behind the pool's head. */
const createTip = ({ maxLagBlocks }: PoolLimits, onChange: () => void) => {
  let height: bigint | undefined
  let lag: number | undefined
  let lagsAnyway = false
  const lagging = (): boolean => lag !== undefined && (lag > maxLagBlocks || lagsAnyway)
  return {
    lagging,
    height: () => height,
    sawHeight: (seen: bigint) => {
      height = seen
    },
    lag: () => lag,
    setLag: (blocks: number | undefined, anyway: boolean) => {
      const before = lagging()
      lag = blocks
      lagsAnyway = anyway
      if (lagging() !== before) onChange()
    },
  }
}

const limitsOf = (spec: UpstreamSpec, defaults: PoolLimits): PoolLimits => ({
  ...defaults,
  maxConcurrent: spec.maxConcurrent ?? defaults.maxConcurrent,
  requestsPerSecond: spec.requestsPerSecond ?? defaults.requestsPerSecond,
  batchItems: spec.batchItems ?? defaults.batchItems,
})

const headersOf = (spec: UpstreamSpec): Pick<Upstream, 'headers' | 'ownHeaders' | 'jsonHeaders'> => {
  const headers = { ...splitCredentials(spec.url).headers, ...lowerCase(spec.headers) }
  return {
    headers,
    ownHeaders: Object.keys(headers).length > 0,
    jsonHeaders: {
      accept: 'application/json',
      'accept-encoding': acceptEncoding(spec),
      'content-type': 'application/json',
      'user-agent': 'firn',
      ...headers,
    },
  }
}

export const createUpstream = (
  spec: UpstreamSpec,
  index: number,
  defaults: PoolLimits,
  { pool, registry, reporter, onHealthChange, onAway, onAlone }: UpstreamDeps,
): Upstream => {
  const limits = limitsOf(spec, defaults)
  const { origin, path, ...target } = createTarget(spec.url)
  const host = spec.name ?? target.host
  const lease = registry.lease(origin, limits, () => onAlone(upstream))
  const latency = createLatencyEstimator()
  const budget = createRateBudget(limits.requestsPerSecond)
  const gate = createGate({
    maxConcurrent: limits.maxConcurrent,
    maxWaiting: MAX_WAITING,
    budget,
    scheduler: registry.scheduler,
  })
  const breaker = createBreaker(limits, (state) => {
    reporter.report({ kind: 'breaker', pool, host, state })
    onHealthChange()
    if (state !== 'open') return
    onAway(upstream)
    gate.turnAway('breaker opened')
  })
  const pause = createPause(budget.refused, (ms) => {
    reporter.report({ kind: 'paused', pool, host, ms, perSecond: budget.rate(Date.now()) })
    gate.turnAway('rate limited')
  })
  const health = createHealth(breaker, latency, onHealthChange)
  const { spoke, ...silence } = createSilence()
  const measured = { ...health, ...createTip(limits, onHealthChange), ...createPresence(onHealthChange), ...silence }
  const known = { host, limits, gate, breaker, latency, path, ...headersOf(spec), ...measured }
  const upstream: Upstream = {
    ...known,
    keys: createOwnKeys(spec.url, spec.headers),
    priority: spec.priority ?? 0,
    index,
    dispatcher: lease.dispatcher,
    incoming: lease.incoming,
    pausedUntil: pause.until,
    pause: pause.set,
    succeeded: (ms) => {
      spoke()
      pause.reset()
      budget.answered(Date.now())
      health.succeeded(ms)
    },
    status: (foreign) => statusOf(known, pause.until(), foreign),
    release: lease.release,
  }
  return upstream
}

type Known = Pick<
  Upstream,
  'host' | 'breaker' | 'latency' | 'gate' | 'errorRate' | 'height' | 'lag' | 'lagging' | 'absent'
>

const statusOf = (known: Known, pausedUntil: number, foreign: boolean): UpstreamStatus => {
  const paused = pausedUntil > Date.now()
  const breaker = known.breaker.state()
  const absent = known.absent()
  return {
    host: known.host,
    healthy: breaker === 'closed' && !known.lagging() && !absent && !paused && !foreign,
    breaker,
    foreign,
    absent,
    latencyMs: known.latency.mean(),
    errorRate: known.errorRate(),
    height: known.height(),
    lagBlocks: known.lag(),
    inFlight: known.gate.active(),
    pausedUntil: paused ? pausedUntil : undefined,
  }
}

const lowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
