import type { Server } from 'node:http'
import { enterTrace, parseTraceparent } from '../../lib/trace-context.ts'

/** Takes a caller's `traceparent` over, for all APIs: log lines name the trace, calls to upstreams carry it on. */
export function installTrace(server: Server): void {
  // Before anybody else listens: what they start must belong to the trace. Set on every request, because one connection
  // carries many.
  server.prependListener('request', ({ headers }) => {
    const header = headers['traceparent']
    enterTrace(typeof header === 'string' ? parseTraceparent(header) : undefined)
  })
}
