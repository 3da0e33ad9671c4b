import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { createCallerAddress } from '../api/node/http/caller-address.ts'
import { type AccessGuard, createFrontDoor } from '../api/node/index.ts'
import { type Admission, createAdmission, refuseAdmission } from '../api/plugins/admission.ts'
import { createBodyRoom } from '../api/plugins/body-room.ts'
import { type ClientShare, createClientShare } from '../api/plugins/client-share.ts'
import { installConnectionTracking } from '../api/plugins/connections.ts'
import { installMetricsRoute } from '../api/plugins/metrics-route.ts'
import { installRequestLedger } from '../api/plugins/request-ledger.ts'
import { installRequestLog, requestId } from '../api/plugins/request-log.ts'
import { installTrace } from '../api/plugins/trace.ts'
import { refuseUnreadableTarget } from '../api/plugins/unreadable-target.ts'
import type { Config } from '../config/index.ts'
import { originPattern } from '../lib/origin-pattern.ts'
import type { Metrics } from '../metrics/index.ts'
import type { RequestLedger } from '../services/node-health/index.ts'
import type { ServerNode } from './node/node.ts'
import type { HeapRoom } from './process/heap-room.ts'
import type { ServerTracing } from './process/tracing.ts'

/** Answer headers that scripts of web pages may read. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-indexed-height',
  'x-index-age',
]

export interface ServerHttpDeps {
  logger: Logger
  node: Pick<ServerNode, 'api'>
  /** Left out: no access tokens are required. */
  guard: AccessGuard | undefined
  requests: RequestLedger
  metrics: Metrics | undefined
  heap: Pick<HeapRoom, 'isTight'>
  /** Left out: a caller's trace is passed on, nothing is recorded. */
  tracing?: ServerTracing | undefined
}

/** The HTTP server before any API has been put into it: front door, admission, logs, traces, metrics, CORS. */
export async function createServerHttp(config: Config, deps: ServerHttpDeps) {
  const { pathPrefix } = config.data
  const share = clientShareOf(config)
  const admission = createAdmission({
    ...config.http,
    probesOnly: config.mode === 'indexer',
    pathPrefix,
    heapIsTight: deps.heap.isTight,
    clientHasEnough: share.isUsedUp,
  })
  const http = createServer(config, deps, admission, share)
  share.watchConnections(http.server)
  const connections = installConnectionTracking(http, config.http.shutdownGraceMs)
  installRequestLedger(http.server, deps.requests.begin)
  if (deps.tracing) deps.tracing.install(http)
  else installTrace(http.server)
  if (deps.metrics) {
    deps.metrics.http.install(http)
    installMetricsRoute(http, deps.metrics.registry)
  }
  await http.register(cors, {
    // The same origins as under /ext, where a node's `https://*.example.org` counts.
    origin: config.http.corsOrigins.includes('*') ? '*' : config.http.corsOrigins.map(originPattern),
    methods: ['GET', 'HEAD', 'POST'],
    // A page may send any header (`allowedHeaders` left out): apps have names of their own, `sentry-trace` or a gateway's key,
    // and a list that lacks one refuses the whole call.
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: 86_400,
    // `allow` names OPTIONS: asked plainly, without a browser's headers, it is no mistake.
    strictPreflight: false,
  })
  // Before a body is looked at: where there is nothing, a broken one is no reason to answer otherwise.
  http.addHook('onRequest', async ({ is404, method, url }, reply) => {
    if (!is404) return
    return reply.code(404).send({ message: `Route ${method}:${url} not found`, error: 'Not Found', statusCode: 404 })
  })
  return { http, admission, connections }
}

function createServer(
  config: Config,
  { logger, node, guard, metrics }: ServerHttpDeps,
  admission: Admission,
  share: ClientShare,
): FastifyInstance {
  const bodies = createBodyRoom(roomOf(config), () => metrics?.http.refused('bodies'))
  const http: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: config.http.bodyLimitBytes,
    keepAliveTimeout: config.http.keepAliveTimeoutMs,
    requestTimeout: config.http.requestTimeoutMs,
    // Ten seconds by default, and what waits before the end counts as starting: a process that a busy machine lets hardly
    // run then would die of it, with open answers. Its end has a bound of its own in `main.ts`.
    pluginTimeout: 0,
    // Further left stands whatever the client wrote there.
    trustProxy: config.http.trustProxy ? (_address, hop) => hop < config.http.proxyHops : false,
    // Each API refuses in its own words while it shuts down.
    return503OnClosing: false,
    ...createFrontDoor({
      ...config.http,
      node: node.api,
      ...(guard ? { guard } : {}),
      admission: {
        ...admission,
        refusal: (path, request) => admission.refusal(withoutDoubledSlash(path, config.data.pathPrefix), request),
        enter: (request, response, isNodes) => {
          admission.enter(response)
          share.enter(request, response)
          bodies.enter(request, response, isNodes)
        },
        upgrade: share.enter,
        refuse: (response, path) => {
          const reason = admission.refusal(path, response.req) ?? 'too many requests'
          metrics?.http.refused(reason)
          refuseAdmission(response, path, reason)
        },
      },
    }),
    // Escapes that are no UTF-8 pass the front door.
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      refuseUnreadableTarget(reply.raw, request.raw.url ?? '/')
    },
    // The web frameworks that clients of these APIs know take `…/health-check/` for the same place.
    routerOptions: { ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => withoutDoubledSlash(url, config.data.pathPrefix),
  })
  http.server.maxConnections = config.http.maxConnections
  installRequestLog(http, () => logger.isLevelEnabled('debug'))
  return http
}

/** Whose request it is, the proxies tell where they are trusted; connections are theirs then. */
const clientShareOf = ({ http: { maxPerClient, trustProxy, proxyHops } }: Config): ClientShare =>
  createClientShare({
    maxPerClient,
    addressOf: createCallerAddress(trustProxy ? proxyHops : 0),
    isDirect: !trustProxy,
  })

/** One body of the largest size always fits. */
const roomOf = ({ http, node }: Config): number =>
  Math.max(http.bodyRoomBytes, http.bodyLimitBytes, node.bodyLimitBytes)

/**
 * A base URL that ends in a slash makes clients ask for `//v1/…`, also behind the prefix of the indexed API, and those who
 * generate them for `//schema.json` or `//api-json`.
 */
function withoutDoubledSlash(url: string, prefix: string): string {
  const rest = url.startsWith(`${prefix}//`) ? url.slice(prefix.length) : undefined
  return rest === undefined ? url.replace(DOUBLED, '/') : prefix + rest.replace(DOUBLED, '/')
}

const DOUBLED = /^\/\/+(?=v1\/|(?:schema\.json|api-json)(?:\?|$))/
