import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ObserveUpstream, UpstreamEvent } from '../upstream/index.ts'
import { createPoolLabel } from './pool-label.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BREAKER = { closed: 0, 'half-open': 1, open: 2 } as const

/** Every choice of the upstream pools: who was asked, how it went, what was saved. Hosts only, URLs carry keys. */
export function createUpstreamInstruments(registry: Registry): ObserveUpstream {
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers })
  const attempts = counter('firn_upstream_requests_total', 'HTTP requests to upstreams by how they ended.', [
    'pool',
    'host',
    'outcome',
  ])
  const calls = counter('firn_upstream_calls_total', 'JSON-RPC calls sent; a batch holds several.', ['pool', 'host'])
  const seconds = new Histogram({
    name: 'firn_upstream_seconds',
    help: 'Time until an upstream had answered, seconds.',
    labelNames: ['pool', 'host'] as const,
    buckets: SECONDS,
    registers,
  })
  const failovers = counter('firn_upstream_failovers_total', 'Reads passed on to another upstream.', ['pool', 'host'])
  const hedges = counter('firn_upstream_hedges_total', 'Slow reads sent to a second upstream.', ['pool', 'host'])
  const breaker = new Gauge({
    name: 'firn_upstream_breaker',
    help: 'Breaker: 0 closed, 1 one probe let through, 2 open.',
    labelNames: ['pool', 'host'] as const,
    registers,
  })
  const paused = counter('firn_upstream_paused_seconds_total', 'Time ordered by rate limits.', ['pool', 'host'])
  const shared = counter('firn_upstream_shared_total', 'Reads that joined an identical one in flight.', ['pool'])
  const hits = counter('firn_upstream_cache_hits_total', 'Reads answered from memory.', ['pool'])
  const exhausted = counter('firn_upstream_exhausted_total', 'Reads that no upstream could answer.', ['pool'])
  const batchItems = new Gauge({
    name: 'firn_upstream_batch_items',
    help: 'Batch size an upstream takes, once it refused a larger one.',
    labelNames: ['pool', 'host'] as const,
    registers,
  })
  const waits = new Histogram({
    name: 'firn_upstream_wait_seconds',
    help: 'Time that requests stood in the queue of an upstream (limits of rate and of concurrency), seconds.',
    labelNames: ['pool', 'host'] as const,
    buckets: SECONDS,
    registers,
  })
  const height = new Gauge({
    name: 'firn_upstream_height',
    help: 'Tip an upstream has shown.',
    labelNames: ['pool', 'host'] as const,
    registers,
  })

  const labelOf = createPoolLabel()

  return (event: UpstreamEvent) => {
    const pool = labelOf(event.pool)
    switch (event.kind) {
      case 'attempt': {
        const labels = { pool, host: event.host }
        attempts.inc({ ...labels, outcome: event.outcome })
        calls.inc(labels, event.calls)
        seconds.observe(labels, event.ms / 1000)
        return
      }
      case 'failover':
        return failovers.inc({ pool, host: event.from })
      case 'hedge':
        return hedges.inc({ pool, host: event.host })
      case 'breaker':
        return breaker.set({ pool, host: event.host }, BREAKER[event.state])
      case 'waited':
        return waits.observe({ pool, host: event.host }, event.ms / 1000)
      case 'paused':
        return paused.inc({ pool, host: event.host }, event.ms / 1000)
      case 'batch-limit':
        return batchItems.set({ pool, host: event.host }, event.items)
      case 'shared':
        return shared.inc({ pool })
      case 'cache-hit':
        return hits.inc({ pool })
      case 'exhausted':
        return exhausted.inc({ pool })
      case 'head':
        return height.set({ pool, host: event.host }, Number(event.height))
    }
  }
}
