import type { HealthMessage } from './health-check.ts'

/** What the checks see of one upstream; the status of an upstream pool has this shape. */
export interface UpstreamView {
  host: string
  healthy: boolean
  breaker: string
  /** It is on another network. */
  foreign: boolean
  /** It serves nothing where it is asked. */
  absent: boolean
  /** Undefined = no rate limit pauses it. */
  pausedUntil: number | undefined
  /** Undefined until its first answer. */
  latencyMs: number | undefined
  errorRate: number
  height: bigint | undefined
  lagBlocks: number | undefined
}

/** What the checks see of an upstream pool. */
export interface PoolView {
  readonly name: string
  status(): readonly UpstreamView[]
}

/** Healthy, and not only because it has not been asked yet. */
export const isConnected = (upstream: UpstreamView): boolean => upstream.healthy && upstream.latencyMs !== undefined

/** One upstream in a message. Heights are numbers there, as in a node's own reports. */
export const upstreamMessage = ({ host, healthy, latencyMs, height, lagBlocks }: UpstreamView): HealthMessage => ({
  host,
  healthy,
  ...(height === undefined ? {} : { height: Number(height) }),
  ...(lagBlocks === undefined ? {} : { lagBlocks }),
  ...(latencyMs === undefined ? {} : { latencyMs: Math.round(latencyMs) }),
})

const reason = ({ breaker, foreign, absent, pausedUntil, lagBlocks = 0 }: UpstreamView): string => {
  // Its height is another chain's.
  if (foreign) return 'on another network'
  if (breaker !== 'closed') return 'not answering'
  if (pausedUntil !== undefined) return 'rate limited'
  return absent ? 'serves nothing there' : `${lagBlocks} blocks behind`
}

/** `host (20 blocks behind), other (not answering)`. */
export const troublesOf = (upstreams: readonly UpstreamView[]): string =>
  upstreams
    .filter(({ healthy }) => !healthy)
    .map((upstream) => `${upstream.host} (${reason(upstream)})`)
    .join(', ')
