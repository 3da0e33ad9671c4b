import type { HealthMessage } from './health-check.ts'

/** What the checks see of one upstream; the status of an upstream pool has this shape. */
export interface UpstreamView {
  host: string
  healthy: boolean
  breaker: string
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

const reason = ({ breaker, lagBlocks }: UpstreamView): string => {
  if (breaker !== 'closed') return 'not answering'
  return lagBlocks === undefined || lagBlocks === 0 ? 'rate limited' : `${lagBlocks} blocks behind`
}

/** `host (20 blocks behind), other (not answering)`. */
export const troublesOf = (upstreams: readonly UpstreamView[]): string =>
  upstreams
    .filter(({ healthy }) => !healthy)
    .map((upstream) => `${upstream.host} (${reason(upstream)})`)
    .join(', ')
