import type { Registry } from 'prom-client'
import { readGauge } from './read-gauge.ts'

/** Whether this process shares limits and prices with others; only if sharing is configured. */
export function createSharingInstruments(
  registry: Registry,
  server: { status(): { state: 'shared' | 'alone' } },
): void {
  const help = '1 = limits and prices are shared with other processes, 0 = the Redis server is away.'
  readGauge(registry, 'firn_redis_shared', help, () => (server.status().state === 'shared' ? 1 : 0))
}
