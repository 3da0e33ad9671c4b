import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ObserveUpstream, UpstreamEvent } from '../upstream/index.ts'
import { createPoolGauge } from './pool-gauge.ts'
import { createPoolLabel } from './pool-label.ts'
import { readGauge } from './read-gauge.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BREAKER = { closed: 0, 'half-open': 1, open: 2 } as const

/**
 * Every decision of the upstream pools: the host, the outcome, the calls saved. Hosts only, since URLs contain keys.
 */
export function createUpstreamInstruments(registry: Registry): ObserveUpstream {
  const counters = createCounters(registry)
  const { height, breaker, limitedTo, batchItems } = createGauges(registry)
  const { seconds, waits } = createTimes(registry)
  const labelOf = createPoolLabel()
  return (event: UpstreamEvent, from: object) => {
    const pool = labelOf(event.pool)
    switch (event.kind) {
      case 'attempt': {
        const labels = { pool, host: event.host }
        // Written out: V8 would have to give each copy with one more member its shape again, a microsecond for every
        // request.
        counters.attempts.inc({ pool, host: event.host, outcome: event.outcome })
        counters.calls.inc(labels, event.calls)
        seconds.observe(labels, event.ms / 1000)
        return
      }
      case 'failover':
        return counters.failovers.inc({ pool, host: event.from })
      case 'hedge':
        return counters.hedges.inc({ pool, host: event.host })
      case 'breaker':
        return breaker.set(from, { pool, host: event.host }, BREAKER[event.state])
      case 'waited':
        return waits.observe({ pool, host: event.host }, event.ms / 1000)
      case 'paused':
        limitedTo.set(from, { pool, host: event.host }, event.perSecond)
        return counters.paused.inc({ pool, host: event.host }, event.ms / 1000)
      case 'batch-limit':
        return batchItems.set(from, { pool, host: event.host }, event.items)
      case 'shared':
        return counters.shared.inc({ pool })
      case 'exhausted':
        return counters.exhausted.inc({ pool })
      case 'head':
        return height.set(from, { pool, host: event.host }, Number(event.height))
      case 'closed':
        for (const gauge of [height, breaker, limitedTo, batchItems]) gauge.drop(from)
        return
    }
  }
}

function createCounters(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `firn_upstream_${name}_total`, help, labelNames, registers: [registry] })
  return {
    attempts: counter('requests', 'HTTP requests to upstreams by how they ended.', ['pool', 'host', 'outcome']),
    calls: counter('calls', 'JSON-RPC calls sent; a batch holds several.', ['pool', 'host']),
    failovers: counter('failovers', 'Reads passed on to another upstream.', ['pool', 'host']),
    hedges: counter('hedges', 'Slow reads sent to a second upstream.', ['pool', 'host']),
    paused: counter('paused_seconds', 'Time ordered by rate limits.', ['pool', 'host']),
    shared: counter('shared', 'Reads that joined an identical one in flight.', ['pool']),
    exhausted: counter('exhausted', 'Reads that no upstream could answer.', ['pool']),
  }
}

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string) =>
    createPoolGauge(
      new Gauge({ name: `firn_upstream_${name}`, help, labelNames: ['pool', 'host'] as const, registers: [registry] }),
    )
  return {
    breaker: gauge('breaker', 'Breaker: 0 closed, 1 one probe let through, 2 open.'),
    limitedTo: gauge('limited_to', 'Requests per second sent after the newest rate limit; slowly more since.'),
    batchItems: gauge('batch_items', 'Batch size an upstream takes, once it refused a larger one.'),
    height: gauge('height', 'Tip an upstream has shown.'),
  }
}

/** @param bytes of all incoming answers of more than 64 KiB */
export function createIncomingInstrument(registry: Registry, bytes: () => number): void {
  const help = 'Bytes of answers of more than 64 KiB that are coming in and not handed on yet.'
  readGauge(registry, 'firn_upstream_incoming_bytes', help, bytes)
}

function createTimes(registry: Registry) {
  const times = (name: string, help: string) =>
    new Histogram({
      name: `firn_upstream_${name}`,
      help,
      labelNames: ['pool', 'host'] as const,
      buckets: SECONDS,
      registers: [registry],
    })
  return {
    seconds: times('seconds', 'Time until an upstream had answered, seconds.'),
    waits: times(
      'wait_seconds',
      'Time that requests stood in the queue of an upstream (limits of rate and of concurrency), seconds.',
    ),
  }
}
