/**
 * What Prometheus reads at `/metrics`: one registry per server, a few instruments per room, all labels bounded.
 * Rooms report plain events; only this one knows Prometheus.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createHttpInstruments } from './http.ts'
import { createUpstreamInstruments } from './upstream.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'firn_' })
  return {
    registry,
    http: createHttpInstruments(registry),
    observeUpstream: createUpstreamInstruments(registry),
  }
}
