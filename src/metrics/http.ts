import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { nodeRoute, pathOf } from './node-route.ts'

// An alert uses 8 s: see docker/prometheus/alerts.yml.
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 10, 30]
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Rate, errors and duration per route. Routes are patterns, so that the number of labels does not depend on clients. */
export function createHttpInstruments(registry: Registry) {
  const registers = [registry]
  const duration = new Histogram({
    name: 'firn_http_seconds',
    help: 'Time until an answer was out, seconds; the count is the number of requests.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    registers,
  })
  const active = new Gauge({
    name: 'firn_http_active',
    help: 'Requests that are being answered, open streams included.',
    labelNames: ['route'] as const,
    registers,
  })
  const aborted = new Counter({
    name: 'firn_http_aborted_total',
    help: 'Answers that ended before they were whole: the client left, or was cut.',
    labelNames: ['route'] as const,
    registers,
  })
  const refused = new Counter({
    name: 'firn_http_refused_total',
    help: 'Requests turned away before any API saw them, by what there was too much of.',
    labelNames: ['reason'] as const,
    registers,
  })
  const sockets = new Gauge({ name: 'firn_websockets_active', help: 'Open WebSockets.', registers })
  const routes = new WeakMap<IncomingMessage, string>()

  const began = (request: IncomingMessage, route: string): void => {
    routes.set(request, route)
    active.inc({ route })
  }
  const ended = (request: IncomingMessage, response: ServerResponse, startedAt: number): void => {
    const known = routes.get(request)
    const route = known ?? 'none'
    if (known !== undefined) active.dec({ route })
    const method = METHODS.has(request.method ?? '') ? (request.method as string) : 'other'
    // Nobody was told the status of an answer that never began; until then Node says 200.
    const status = response.headersSent ? response.statusCode : 'none'
    duration.observe({ method, route, status }, (performance.now() - startedAt) / 1000)
    if (!response.writableFinished) aborted.inc({ route })
  }

  return {
    refused: (reason: string): void => refused.inc({ reason }),
    install(app: FastifyInstance): void {
      // On the server, not in Fastify hooks: /ext and refusals of the access guard never reach those. On `close`, not
      // `finish`, which is not emitted when the client leaves in the middle of a stream.
      app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        const startedAt = performance.now()
        const route = nodeRoute(pathOf(request.url ?? ''))
        if (route !== undefined) began(request, route)
        response.once('close', () => ended(request, response, startedAt))
      })
      app.addHook('onRequest', (request, _reply, done) => {
        const route = request.routeOptions.url
        if (route !== undefined && !routes.has(request.raw)) began(request.raw, route)
        done()
      })
      app.server.prependListener('upgrade', (_request, socket) => {
        sockets.inc()
        socket.once('close', () => sockets.dec())
      })
    },
  }
}
