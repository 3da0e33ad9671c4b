import type { Span } from './span.ts'

/** The sending service. */
export interface SpanService {
  name: string
  version: string
}

type Value = string | number | boolean

/** 64-bit integers are strings in the JSON of Protocol Buffers. */
const anyValue = (value: Value): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return { intValue: String(value) }
}

const attributesOf = (attributes: Readonly<Record<string, Value | undefined>>): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))

/** Milliseconds with a fraction → nanoseconds. A double holds microseconds of this century exactly, no more. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const STATUS_ERROR = 2

const spanOf = ({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, failed }: Span): object => ({
  traceId,
  spanId,
  ...(parentId === undefined ? {} : { parentSpanId: parentId }),
  name,
  kind,
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: attributesOf(attributes),
  status: failed ? { code: STATUS_ERROR } : {},
})

/** Body of a request to `/v1/traces` (ExportTraceServiceRequest of OTLP 1, JSON: ids are hex, enums are numbers). */
export const writeSpans = ({ name, version }: SpanService, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': name, 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'firn', version }, spans: spans.map(spanOf) }],
      },
    ],
  })
