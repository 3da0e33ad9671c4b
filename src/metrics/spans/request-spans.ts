import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isSampled, recordedTrace, type TraceContext } from '../../lib/http/trace-context.ts'
import { nodeRoute, pathOf } from '../node-route.ts'
import { createClock } from './clock.ts'
import { KIND, methodName, type Span } from './span.ts'

/**
 * A server span for each request of every API, from its headers to the end of its answer, streams included. Routes are
 * patterns, since paths contain people's addresses. If the caller does not record its trace, neither does Firn.
 */
export function createRequestSpans(add: (span: Span) => void) {
  const now = createClock()
  const routes = new WeakMap<IncomingMessage, string>()

  const ended = (request: IncomingMessage, response: ServerResponse, trace: TraceContext, startMs: number): void => {
    const method = methodName(request.method)
    const route = routes.get(request) ?? nodeRoute(pathOf(request.url ?? ''))
    // Before the headers are sent, the status is only provisional.
    const status = response.headersSent ? response.statusCode : undefined
    const failed = status !== undefined && status >= 500
    add({
      traceId: trace.traceId,
      spanId: trace.spanId ?? '',
      parentId: trace.parentId,
      name: `${method === '_OTHER' ? 'HTTP' : method}${route === undefined ? '' : ` ${route}`}`,
      kind: KIND.server,
      startMs,
      endMs: now(),
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'url.scheme': 'http',
        'network.protocol.version': request.httpVersion,
        'error.type': failed ? String(status) : undefined,
        'firn.aborted': response.writableFinished ? undefined : true,
      },
      failed,
    })
  }

  return {
    /** Begins the span of a request; returns the trace for everything that the request causes. */
    record(request: IncomingMessage, response: ServerResponse, caller: TraceContext | undefined): TraceContext {
      if (caller && !isSampled(caller)) return caller
      const trace = recordedTrace(caller)
      const startMs = now()
      // Each part of the server adds a listener; Node reports the eleventh as a leak.
      response.setMaxListeners(response.getMaxListeners() + 1)
      response.once('close', () => ended(request, response, trace, startMs))
      return trace
    },
    /** Records the route of each request. */
    install(app: FastifyInstance): void {
      app.addHook('onRequest', (request, _reply, done) => {
        const route = request.routeOptions.url
        if (route !== undefined) routes.set(request.raw, route)
        done()
      })
    },
  }
}
