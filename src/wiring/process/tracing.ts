import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { installTrace } from '../../api/plugins/trace.ts'
import type { Config } from '../../config/index.ts'
import { packageVersion } from '../../lib/package-version.ts'
import { createSpanInstruments, type Metrics } from '../../metrics/index.ts'
import {
  createAttemptSpans,
  createRequestSpans,
  createSpanExporter,
  type PostSpans,
  writeSpans,
} from '../../metrics/spans/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type ObserveUpstream } from '../../upstream/index.ts'

/** Sends spans to a collector. */
export interface ServerTracing {
  observeUpstream: ObserveUpstream
  install(http: FastifyInstance): void
  /** Sends pending spans, within a time limit. Never rejects. */
  close(): Promise<void>
}

const POST_MS = 10_000

/** A pool of one server: timeouts, TLS and credentials of the URL as with any other server, but no retries here. */
function createCollector(url: string) {
  const pool = createUpstreamPool('otel', [{ url }], {
    ...DEFAULT_LIMITS,
    maxResponseBytes: 65_536,
    maxAttempts: 1,
    hedgeMinMs: 0,
    // The exporter pauses by itself.
    breakerFailures: Number.MAX_SAFE_INTEGER,
  })
  const post = async (body: string, signal: AbortSignal): ReturnType<PostSpans> => {
    const answer = await pool.exchange(
      { method: 'POST', path: '/v1/traces', headers: { 'content-type': 'application/json' }, body },
      { idempotent: false, signal, deadline: Date.now() + POST_MS, judge: () => ({ kind: 'answer' }) },
    )
    const retryAfter = answer.headers['retry-after']
    return {
      status: answer.status,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      body: answer.body.toString(),
    }
  }
  return { post, close: () => pool.close() }
}

/** Undefined when disabled: then nothing is created or contacted. */
export function createServerTracing(
  { otel }: Config,
  { metrics, logger }: { metrics: Metrics | undefined; logger: Logger },
): ServerTracing | undefined {
  if (!otel.enabled || otel.endpoint === undefined) return undefined
  const service = { name: otel.serviceName, version: packageVersion() }
  const collector = createCollector(otel.endpoint)
  const exporter = createSpanExporter({
    post: (spans, signal) => collector.post(writeSpans(service, spans), signal),
    count: metrics ? createSpanInstruments(metrics.registry) : () => undefined,
    logger,
  })
  const requests = createRequestSpans(exporter.add)
  return {
    observeUpstream: createAttemptSpans(exporter.add),
    install: (http) => {
      installTrace(http.server, requests.record)
      requests.install(http)
    },
    close: async () => {
      await exporter.close()
      await collector.close()
    },
  }
}
