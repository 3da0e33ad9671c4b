import type { ObserveUpstream } from '../../upstream/index.ts'
import { createPoolLabel } from '../pool-label.ts'
import { createClock } from './clock.ts'
import { KIND, methodName, type Span } from './span.ts'

/** `host:port` → both; the port is left out if the URL has none. IPv6 addresses lose their brackets, names their `#2`. */
function addressOf(host: string): { 'server.address': string; 'server.port'?: number } {
  const parts = /^(.*?)(?::(\d+))?(?:#\d+)?$/.exec(host)
  const address = (parts?.[1] ?? host).replace(/^\[|\]$/g, '')
  return parts?.[2] === undefined
    ? { 'server.address': address }
    : { 'server.address': address, 'server.port': Number(parts[2]) }
}

/** The error in the conventions' terms: the status, or else the kind of failure. Undefined = no error. */
const errorOf = (outcome: string, status: number | undefined): string | undefined => {
  if (status !== undefined && status >= 400) return String(status)
  return outcome === 'answer' || outcome === 'truth' || outcome === 'cancelled' ? undefined : outcome
}

/**
 * A client span for each attempt at an upstream on behalf of a recorded request, including hedges, retries and
 * abandoned ones. Paths and queries of upstreams may contain keys, so only the host is recorded.
 */
export function createAttemptSpans(add: (span: Span) => void): ObserveUpstream {
  const now = createClock()
  const labelOf = createPoolLabel()
  return (event) => {
    if (event.kind !== 'attempt' || event.span === undefined) return
    const { pool, host, outcome, ms, calls, hedge } = event
    const { traceparent, parent, method, status } = event.span
    const [, traceId = '', spanId = ''] = traceparent.split('-')
    const endMs = now()
    const error = errorOf(outcome, status)
    add({
      traceId,
      spanId,
      parentId: parent,
      name: methodName(method),
      kind: KIND.client,
      startMs: endMs - ms,
      endMs,
      attributes: {
        'http.request.method': methodName(method),
        'http.response.status_code': status,
        ...addressOf(host),
        'error.type': error,
        'firn.pool': labelOf(pool),
        'firn.outcome': outcome,
        'firn.calls': calls,
        'firn.hedge': hedge,
      },
      failed: error !== undefined,
    })
  }
}
