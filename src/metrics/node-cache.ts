import { Counter, type Registry } from 'prom-client'

/** Answers under /ext without a call to a node; `evm` and `forward` (all others) have a cache each. */
export function createNodeCacheInstruments(registry: Registry) {
  const hits = new Counter({
    name: 'firn_node_cache_hits_total',
    help: 'Calls under /ext answered from memory.',
    labelNames: ['cache'] as const,
    registers: [registry],
  })
  return (cache: 'evm' | 'forward') => (): void => hits.inc({ cache })
}
