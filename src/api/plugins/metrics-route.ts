import type { FastifyInstance } from 'fastify'

export interface MetricsText {
  contentType: string
  metrics(): Promise<string>
}

/** Maximum number of renderings per second: one takes tens of milliseconds, during which no request is served. */
const MOST_A_SECOND = 10
const SECOND_MS = 1_000

/** The text, rendered for each request while there are few; further ones get the previous text. */
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
