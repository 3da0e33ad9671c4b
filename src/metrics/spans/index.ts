/**
 * Spans for an OpenTelemetry collector: created for requests and for attempts at upstreams, sent as OTLP over HTTP in
 * JSON. Nothing here can fail or delay a request: spans that cannot be sent in time are dropped and counted.
 */
export { createAttemptSpans } from './attempt-spans.ts'
export type { PostSpans } from './delivery.ts'
export { createSpanExporter, type SpanFate } from './exporter.ts'
export { writeSpans } from './otlp.ts'
export { createRequestSpans } from './request-spans.ts'
