import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { enterTrace, parseTraceparent, type TraceContext } from '../../lib/trace-context.ts'

/** Records a request; returns the trace that what follows belongs to. */
export type RecordRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: TraceContext | undefined,
) => TraceContext | undefined

/** Takes a caller's `traceparent` over, for all APIs: log lines name the trace, calls to upstreams carry it on. */
export function installTrace(server: Server, record?: RecordRequest): void {
  // Before anybody else listens: what they start must belong to the trace. Set on every request, because one connection
  // carries many.
  server.prependListener('request', (request, response) => {
    const header = request.headers['traceparent']
    const caller = typeof header === 'string' ? parseTraceparent(header) : undefined
    enterTrace(record ? record(request, response, caller) : caller)
  })
}
