import { Type } from '@sinclair/typebox'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { FirnError } from '../../errors.ts'
import { createRateLimitedLog, type RateLimitedLog } from '../../lib/logging/rate-limited-log.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import { refuse } from './errors.ts'
import type { DataRoute } from './route.ts'
import { answers, closed, oneOf } from './schemas.ts'

/** Rejects when the thing does not work; only the part of the message before a colon is shown. */
export type Probe = () => Promise<void>

export interface HealthDeps {
  /** What reading depends on: name → probe. */
  reads: Readonly<Record<string, Probe>>
  writes: Readonly<Record<string, Probe>>
  /** A probe that takes longer counts as failed, milliseconds. */
  timeoutMs: number
  closing: () => boolean
}

const Indicator = Type.Object(
  { status: oneOf(['up', 'down']) },
  { additionalProperties: true, title: 'HealthIndicatorResultDto' },
)
const Indicators = Type.Record(Type.String(), Indicator)
const HealthSchema = closed('HealthCheckResultDto', {
  status: oneOf(['error', 'ok', 'shutting_down']),
  info: Type.Union([Indicators, Type.Null()]),
  error: Type.Union([Indicators, Type.Null()]),
  details: Indicators,
})

/** health-check covers reads and writes, live-check only reads; a failure is 503, the error body names each part. */
export function healthRoutes(deps: HealthDeps): DataRoute[] {
  const rateLimited = createRateLimitedLog()
  const route = (url: string, operationId: string, summary: string, probes: () => [string, Probe][]): DataRoute => ({
    method: 'GET',
    url,
    operationId,
    tag: 'Health Check',
    summary,
    weight: operationId === 'live-check' ? 'free' : 'medium',
    response: answers(200, 'All parts work.', HealthSchema),
    handle: (request, reply) => check(deps, probes(), reply, { log: request.log, rateLimited }),
  })
  const merged = (): [string, Probe][] => {
    const names = [...new Set([...Object.keys(deps.reads), ...Object.keys(deps.writes)])]
    return names.map((name) => [
      name,
      async () => {
        await deps.reads[name]?.()
        await deps.writes[name]?.()
      },
    ])
  }
  return [
    route('/v1/health-check', 'data-health-check', 'Get the health of the service: reads and writes', merged),
    route('/v1/live-check', 'live-check', 'Get the liveness of the service: reads only', () =>
      Object.entries(deps.reads),
    ),
  ]
}

interface Lines {
  log: FastifyBaseLogger
  rateLimited: RateLimitedLog
}

async function check(deps: HealthDeps, probes: [string, Probe][], reply: FastifyReply, lines: Lines): Promise<unknown> {
  if (deps.closing())
    return refuse(reply.header('retry-after', '5'), 503, 'shutting_down: this server is being stopped')
  const results = await Promise.all(
    probes.map(async ([name, probe]) => [name, await run(name, probe, deps.timeoutMs, lines)] as const),
  )
  const down = results.filter(([, trouble]) => trouble !== undefined)
  if (down.length > 0)
    return refuse(
      reply,
      503,
      down.map(([name, trouble]) => `${name}: ${trouble}`),
    )
  const info = Object.fromEntries(results.map(([name]) => [name, { status: 'up' }]))
  return { status: 'ok', info, error: {}, details: info }
}

/** What does not work, in words for strangers: details of drivers (hosts, names, paths) go to the log only. */
async function run(name: string, probe: Probe, timeoutMs: number, lines: Lines): Promise<string | undefined> {
  const outcome = probe().then(
    () => undefined,
    (error: unknown) => {
      lines.rateLimited(name, (others) =>
        lines.log.warn({ part: name, ...others, err: error }, 'a part of this server does not work'),
      )
      return error instanceof FirnError ? error.message.split(':', 1)[0] : 'it does not work'
    },
  )
  return inTime(outcome, timeoutMs, () => `no answer within ${timeoutMs} ms`)
}
