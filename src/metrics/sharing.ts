import { Gauge, type Registry } from 'prom-client'

/** Whether this process shares limits and prices with others; only if sharing is configured. */
export function createSharingInstruments(
  registry: Registry,
  server: { status(): { state: 'shared' | 'alone' } },
): void {
  new Gauge({
    name: 'firn_redis_shared',
    help: '1 = limits and prices are shared with other processes, 0 = the Redis server is away.',
    registers: [registry],
    collect() {
      this.set(server.status().state === 'shared' ? 1 : 0)
    },
  })
}
