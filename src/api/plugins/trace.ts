import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { enterTrace, parseTraceparent, type TraceContext } from '../../lib/http/trace-context.ts'

/** Records a request; returns the trace that later work belongs to. */
export type RecordRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: TraceContext | undefined,
) => TraceContext | undefined

/** Adopts a caller's `traceparent` for all APIs: log lines name the trace, calls to upstreams continue it. */
export function installTrace(server: Server, record?: RecordRequest): void {
  // Runs before all other listeners: what they start must belong to the trace. Set on every request, because one
  // connection carries many.
  server.prependListener('request', (request, response) => {
    const header = request.headers['traceparent']
    const caller = typeof header === 'string' ? parseTraceparent(header) : undefined
    enterTrace(record ? record(request, response, caller) : caller)
  })
}
