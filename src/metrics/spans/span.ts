/** `SpanKind` of OTLP: server or client. */
export const KIND = { server: 2, client: 3 } as const

/** One operation in a trace. */
export interface Span {
  /** 32 hex digits. */
  traceId: string
  /** 16 hex digits. */
  spanId: string
  /** 16 hex digits; undefined = the trace begins with this span. */
  parentId: string | undefined
  name: string
  kind: (typeof KIND)[keyof typeof KIND]
  /** Milliseconds since 1970, with a fraction. */
  startMs: number
  endMs: number
  /**
   * Undefined attributes are omitted. Names follow the semantic conventions for HTTP; Firn's own begin with `firn.`.
   */
  attributes: Readonly<Record<string, string | number | boolean | undefined>>
  failed: boolean
}

const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'])

/** Callers may invent methods; the conventions have one name for all others. */
export const methodName = (method: string | undefined): string =>
  method !== undefined && METHODS.has(method) ? method : '_OTHER'
