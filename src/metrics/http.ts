import type { FastifyInstance } from 'fastify'
import { Gauge, Histogram, type Registry } from 'prom-client'

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Rate, errors and duration per route. Routes are patterns, so that the number of labels does not depend on clients. */
export function createHttpInstruments(registry: Registry) {
  const duration = new Histogram({
    name: 'firn_http_seconds',
    help: 'Time until an answer was out, seconds; the count is the number of requests.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    registers: [registry],
  })
  const active = new Gauge({
    name: 'firn_http_active',
    help: 'Requests that are being answered, open streams included.',
    registers: [registry],
  })

  return {
    install(app: FastifyInstance): void {
      app.addHook('onRequest', (request, reply, done) => {
        active.inc()
        // Not onResponse: that one does not run when the client leaves in the middle of a stream.
        reply.raw.once('close', () => {
          active.dec()
          const route = request.routeOptions.url ?? 'none'
          duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
        })
        done()
      })
    },
  }
}
