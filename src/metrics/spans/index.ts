/**
 * Spans for an OpenTelemetry collector: made of requests and of attempts at upstreams, sent as OTLP over HTTP in JSON.
 * Nothing in here can fail or hold up a request: what cannot be sent in time is dropped and counted.
 */
export { createAttemptSpans } from './attempt-spans.ts'
export type { PostSpans } from './delivery.ts'
export { createSpanExporter, type SpanFate } from './exporter.ts'
export { writeSpans } from './otlp.ts'
export { createRequestSpans } from './request-spans.ts'
