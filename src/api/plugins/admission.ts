import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { PageOrigins } from './page-origins.ts'
import { refusalBody } from './refusal-body.ts'

export interface AdmissionLimits {
  /** This process serves only probes and metrics (run mode `indexer`). */
  probesOnly: boolean
  /** Prefix of the paths of the indexed API, including its health checks. */
  pathPrefix: string
  /** Maximum number of requests in progress, streams included. */
  maxInFlight: number
  /** Mean delay of the event loop in each of the last two seconds, milliseconds; 0 = not checked. */
  maxEventLoopDelayMs: number
  /** The heap is too full for another request; left out = never. */
  heapIsTight?: () => boolean
  /** The client has as many requests in progress as allowed; left out = there is no such limit. */
  clientHasEnough?: (request: IncomingMessage) => boolean
}

export type RefusalReason = 'not served here' | 'too many requests' | 'event loop' | 'heap' | 'bodies' | 'client'

/** Refuses requests that this process does not serve, or not now, so that those in progress are answered in time. */
export interface Admission {
  /** Why a request is refused; undefined = it is let in. `path` without its query. */
  refusal(path: string, request?: IncomingMessage): RefusalReason | undefined
  /** A request that was let in; it counts until its response is closed. */
  enter(response: ServerResponse): void
  close(): void
}

const LOOK_EVERY_MS = 1_000
const NANOSECONDS_PER_MS = 1_000_000

/** Load balancers and monitoring must get through, above all under load; a trailing slash is accepted. */
const ALWAYS_ANSWERED = /^\/(ext\/health(\/|$)|metrics\/?$)/
const DATA_PROBES = ['/v1/live-check', '/v1/health-check', '/v1/live-check/', '/v1/health-check/']

export function createAdmission(limits: AdmissionLimits): Admission {
  const { probesOnly, maxInFlight, maxEventLoopDelayMs } = limits
  const probes = new Set(DATA_PROBES.map((path) => limits.pathPrefix + path))
  let running = 0
  let slowSeconds = 0
  const delays = monitorEventLoopDelay({ resolution: 10 })
  const timer = setInterval(() => {
    // One long turn (a body of 12 MB, say) is not an overload; a second one right after it is. If turns last longer
    // than the measuring interval, no delay is recorded: the mean is then NaN, and nothing is slower.
    const quick = delays.mean / NANOSECONDS_PER_MS <= maxEventLoopDelayMs
    slowSeconds = quick ? 0 : slowSeconds + 1
    delays.reset()
  }, LOOK_EVERY_MS)
  timer.unref()
  if (maxEventLoopDelayMs > 0) delays.enable()
  else clearInterval(timer)

  const reason = (): RefusalReason | undefined => {
    if (probesOnly) return 'not served here'
    if (slowSeconds > 1) return 'event loop'
    if (running >= maxInFlight) return 'too many requests'
    return limits.heapIsTight?.() ? 'heap' : undefined
  }
  return {
    refusal: (path, request) => {
      const why = reason() ?? (request && limits.clientHasEnough?.(request) ? 'client' : undefined)
      return why === undefined || ALWAYS_ANSWERED.test(path) || probes.has(path) ? undefined : why
    },
    enter: (response) => {
      running += 1
      response.once('close', () => {
        running -= 1
      })
    },
    close: () => {
      clearInterval(timer)
      delays.disable()
    },
  }
}

/** Seconds after which a refused client may retry. */
export const RETRY_AFTER = '1'

const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  'not served here': 'this process only indexes, ask one that serves',
  'too many requests': 'this server has too much to do, try again',
  'event loop': 'this server has too much to do, try again',
  heap: 'this server has too much to do, try again',
  bodies: 'this server has too much to do, try again',
  client: 'the limit of concurrent requests for your address is reached, try again',
}

/** Pages may send credentials to a node. */
const AS_A_NODE = { 'access-control-allow-credentials': 'true' }

/** 503, with `retry-after` where a retry makes sense, in the format of the requested API. */
export function refuseAdmission(
  response: ServerResponse,
  path: string,
  reason: RefusalReason,
  pages: PageOrigins,
): void {
  const { type, body, extra } = answerFor(path, MESSAGES[reason])
  response.writeHead(503, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    ...(reason === 'not served here' ? {} : { 'retry-after': RETRY_AFTER }),
    // Web pages must be able to read that they may retry.
    ...pages(response.req),
    ...extra,
    'access-control-expose-headers': 'retry-after',
    connection: 'close',
  })
  response.end(body)
}

function answerFor(path: string, message: string) {
  if (/^\/+ext(\/|$)/.test(path)) return { type: 'text/plain', body: `${message}\n`, extra: AS_A_NODE }
  return { type: 'application/json', body: refusalBody(path, 503, message), extra: {} }
}
