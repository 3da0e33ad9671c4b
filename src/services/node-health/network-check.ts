import { APPLICATION_TAG, type HealthCheck, UnhealthyError } from './health-check.ts'
import { isConnected, type PoolView, type UpstreamView } from './upstream-view.ts'

/** One record per host: the same node may serve several pools, and is connected when it serves any of them. */
function byHost(pools: readonly PoolView[]): Map<string, UpstreamView[]> {
  const hosts = new Map<string, UpstreamView[]>()
  for (const pool of pools)
    for (const upstream of pool.status()) hosts.set(upstream.host, [...(hosts.get(upstream.host) ?? []), upstream])
  return hosts
}

/** The upstreams in place of a node's peers: how many answer, and the share of requests that fail (0 to 1). */
export function createNetworkCheck(pools: () => readonly PoolView[]): HealthCheck {
  return {
    name: 'network',
    tags: () => [APPLICATION_TAG],
    afterOthers: true,
    run: () => {
      const hosts = [...byHost(pools()).values()]
      const connected = hosts.filter((views) => views.some(isConnected)).length
      const rates = hosts.flatMap((views) => views.map(({ errorRate }) => errorRate))
      const sendFailRate = rates.length === 0 ? 0 : rates.reduce((sum, rate) => sum + rate, 0) / rates.length
      const message = { connectedPeers: connected, sendFailRate }
      if (connected > 0) return message
      throw new UnhealthyError(
        'network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0',
        message,
      )
    },
  }
}
