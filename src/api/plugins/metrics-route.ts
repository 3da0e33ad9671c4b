import type { FastifyInstance } from 'fastify'

/** `GET /metrics` in Prometheus text form. */
export function installMetricsRoute(
  app: FastifyInstance,
  registry: { contentType: string; metrics(): Promise<string> },
): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}
