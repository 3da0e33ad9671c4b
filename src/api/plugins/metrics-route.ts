import type { FastifyInstance } from 'fastify'

export interface MetricsText {
  contentType: string
  metrics(): Promise<string>
}

/** Written anew so often in a second at most: it takes tens of milliseconds, in which nobody else is served. */
const MOST_A_SECOND = 10
const SECOND_MS = 1_000

/** The text, written anew while few ask for it; who comes beyond that is given the one before. */
export function createMetricsText(registry: Pick<MetricsText, 'metrics'>, now = (): number => performance.now()) {
  let second = { began: Number.NEGATIVE_INFINITY, count: 0 }
  let latest: Promise<string> | undefined
  return (): Promise<string> => {
    if (now() - second.began >= SECOND_MS) second = { began: now(), count: 0 }
    if (latest && second.count >= MOST_A_SECOND) return latest
    second.count += 1
    const text = registry.metrics()
    latest = text
    text.catch(() => {
      if (latest === text) latest = undefined
    })
    return text
  }
}

/** `GET /metrics` in Prometheus text form. */
export function installMetricsRoute(app: FastifyInstance, registry: MetricsText): void {
  const text = createMetricsText(registry)
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await text()),
  )
}
