import { Counter, type Registry } from 'prom-client'
import type { SpanFate } from './spans/index.ts'

/** Results of sending spans; only if they are sent. */
export function createSpanInstruments(registry: Registry): (fate: SpanFate, spans: number) => void {
  const spans = new Counter({
    name: 'firn_otel_spans_total',
    help: 'Spans by what became of them: sent, dropped (no room, or no time at the end), refused (by the collector).',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  for (const outcome of ['sent', 'dropped', 'refused'] as const) spans.inc({ outcome }, 0)
  return (outcome, count) => spans.inc({ outcome }, count)
}
