/**
 * Metrics for Prometheus at `/metrics`: one registry per server, a few instruments per room, all labels bounded. Rooms
 * report plain events; only this one knows Prometheus.
 */
import { Registry } from 'prom-client'
import { createBalanceInstruments } from './balances.ts'
import { createComputeUnitInstruments } from './compute-units.ts'
import { createHttpInstruments } from './http.ts'
import { createNodeCacheInstruments } from './node-cache.ts'
import { createHeapInstrument, createProcessInstruments, type ProcessFacts } from './process.ts'
import { createIncomingInstrument, createUpstreamInstruments } from './upstream.ts'

export { createIndexInstruments } from './index-streams.ts'
export { createMarketInstruments } from './market.ts'
export { createSharingInstruments } from './sharing.ts'
export { createSpanInstruments } from './spans-sent.ts'
export { createStoreInstruments } from './store.ts'
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics(facts: ProcessFacts) {
  const registry = new Registry()
  createProcessInstruments(registry, facts)
  return {
    registry,
    lived: (share: () => number) => createHeapInstrument(registry, share),
    http: createHttpInstruments(registry),
    observeUpstream: createUpstreamInstruments(registry),
    incoming: (bytes: () => number) => createIncomingInstrument(registry, bytes),
    nodeCache: createNodeCacheInstruments(registry),
    balances: createBalanceInstruments(registry),
    observeComputeUnits: createComputeUnitInstruments(registry),
  }
}
