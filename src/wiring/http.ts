import { METHODS } from 'node:http'
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
import { createPageOrigins } from '../api/plugins/page-origins.ts'
import { installRequestLedger } from '../api/plugins/request-ledger.ts'
import { installRequestLog, requestId } from '../api/plugins/request-log.ts'
import { installTrace } from '../api/plugins/trace.ts'
import { refuseUnreadableTarget } from '../api/plugins/unreadable-target.ts'
import type { Config } from '../config/index.ts'
import { originPattern } from '../lib/http/origin-pattern.ts'
import type { Metrics } from '../metrics/index.ts'
import type { RequestLedger } from '../services/node-health/index.ts'
import type { ServerNode } from './node/node.ts'
import type { HeapRoom } from './process/heap-room.ts'
import type { ServerTracing } from './process/tracing.ts'

/** Response headers that scripts of web pages may read. */
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

/** The HTTP server before any API is added: front door, admission, logs, traces, metrics, CORS. */
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
    // The same origins as under /ext, including a node's patterns such as `https://*.example.org`.
    origin: config.http.corsOrigins.includes('*') ? '*' : config.http.corsOrigins.map(originPattern),
    methods: ['GET', 'HEAD', 'POST'],
    // A page may send any header (`allowedHeaders` left out): apps have their own, such as `sentry-trace` or a
    // gateway's key, and a list without one of them would refuse the whole call.
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: 86_400,
    // `allow` names OPTIONS, so a plain OPTIONS request without a browser's headers is accepted.
    strictPreflight: false,
  })
  // Before the body is parsed: for an unknown path, a broken body must not change the answer.
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
  const pages = createPageOrigins(config.http.corsOrigins)
  const bodies = createBodyRoom(roomOf(config), () => metrics?.http.refused('bodies'), pages)
  const http: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: config.http.bodyLimitBytes,
    keepAliveTimeout: config.http.keepAliveTimeoutMs,
    requestTimeout: config.http.requestTimeoutMs,
    // The default is ten seconds, and waiting before the end counts as starting: on a busy machine, a process that
    // hardly gets to run would be killed by it with open answers. `main.ts` has its own limit for the shutdown.
    pluginTimeout: 0,
    // Entries further left are whatever the client sent.
    trustProxy: config.http.trustProxy ? (_address, hop) => hop < config.http.proxyHops : false,
    // Each API refuses in its own format during the shutdown.
    return503OnClosing: false,
    ...createFrontDoor({
      ...config.http,
      node: node.api,
      pages,
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
          refuseAdmission(response, path, reason, pages)
        },
      },
    }),
    // The front door lets escapes through that are not UTF-8.
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      refuseUnreadableTarget(reply.raw, request.raw.url ?? '/', pages)
    },
    // The web frameworks that clients of these APIs know treat `…/health-check/` as the same path.
    routerOptions: { ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => withoutDoubledSlash(url, config.data.pathPrefix),
  })
  // Those that it does not know itself (`PROPFIND`) are 404 everywhere, before an API could say in its own words which it has.
  for (const method of METHODS) if (!http.supportedMethods.includes(method)) http.addHttpMethod(method)
  http.server.maxConnections = config.http.maxConnections
  installRequestLog(http, () => logger.isLevelEnabled('debug'))
  return http
}

/** Trusted proxies say which client a request is from; connections are then the proxies' own. */
const clientShareOf = ({ http: { maxPerClient, trustProxy, proxyHops } }: Config): ClientShare =>
  createClientShare({
    maxPerClient,
    addressOf: createCallerAddress(trustProxy ? proxyHops : 0),
    isDirect: !trustProxy,
  })

/** One body of the maximum size always fits. */
const roomOf = ({ http, node }: Config): number =>
  Math.max(http.bodyRoomBytes, http.bodyLimitBytes, node.bodyLimitBytes)

/**
 * With a base URL that ends in a slash, clients request `//v1/…`, also behind the prefix of the indexed API, and client
 * generators request `//schema.json` or `//api-json`.
 */
function withoutDoubledSlash(url: string, prefix: string): string {
  const rest = url.startsWith(`${prefix}//`) ? url.slice(prefix.length) : undefined
  return rest === undefined ? url.replace(DOUBLED, '/') : prefix + rest.replace(DOUBLED, '/')
}

const DOUBLED = /^\/\/+(?=v1\/|(?:schema\.json|api-json)(?:\?|$))/
