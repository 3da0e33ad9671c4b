import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { createLeaveSignal } from '../plugins/leave-signal.ts'
import type { EvmApi } from './evm/endpoint.ts'
import { createEvmServing } from './evm/serve.ts'
import type { Forwarder } from './forward/forwarder.ts'
import { createGorillaHandler } from './gorilla/endpoint-handler.ts'
import type { LocalService } from './gorilla/local-service.ts'
import { createGorillaServing } from './gorilla/serve.ts'
import { createHostCheck } from './http/allowed-hosts.ts'
import { emptyAnswer, httpError, type NodeAnswer, notFound, writeAnswer, writePairs } from './http/answer.ts'
import { createCallerAddress } from './http/caller-address.ts'
import { writeRefusal } from './http/connection/upgrade.ts'
import { createCors } from './http/cors.ts'
import { type Exchange, headerOf } from './http/exchange.ts'
import { createFinish, type Finish } from './http/finish.ts'
import { cleanPath, encodePath, type RequestTarget } from './http/target.ts'
import { createMethodTable, type MethodTable } from './methods/method-table.ts'
import type { LocalEndpoint } from './plain/local-endpoint.ts'
import { askLocal, createPlainServing } from './plain/serve.ts'
import type { ChainDirectory } from './routes/chain-directory.ts'
import { type Endpoint, endpointByName, ownEndpoint } from './routes/endpoint.ts'
import type { NodeAliases } from './routes/node-aliases.ts'
import { createRouter, type Router } from './routes/router.ts'
import { unlessStarting } from './routes/starting-nodes.ts'

export interface NodeApiOptions {
  forwarder: Pick<Forwarder, 'forward' | 'nodeId'>
  chains: ChainDirectory
  /** Aliases of chains that only nodes know; left out = nodes are not asked. */
  nodeAliases?: NodeAliases
  services: readonly LocalService[]
  endpoints: readonly LocalEndpoint[]
  evm: EvmApi
  publicDeployment: boolean
  allowedHosts: readonly string[]
  corsOrigins: readonly string[]
  /** Number of reverse proxies in a row whose `X-Forwarded-For` is trusted. */
  proxyHops: number
  /** Access tokens are required: browsers may send them. */
  tokens: boolean
  /** Largest body of a non-EVM endpoint, bytes. */
  bodyLimitBytes: number
  logger: Logger
}

/** Everything under /ext, behind the front door. */
export interface NodeApi {
  readonly router: Router
  handle(request: IncomingMessage, response: ServerResponse, target: RequestTarget): void
  /** @param over fires when the caller would no longer be let in */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: RequestTarget, over?: AbortSignal): void
}

const ROUTE_HEADER = 'avalanche-api-route'

/** Endpoints that exist only because they are answered here. */
function ownEndpoints({ services, endpoints }: NodeApiOptions): Endpoint[] {
  const gorilla = services.flatMap((service) => service.endpoints)
  const http = endpoints.map(({ endpoint }) => endpoint)
  return [
    ...gorilla.filter((name) => !endpointByName(name)).map((name) => ownEndpoint(name, 'gorilla')),
    ...http.filter((name) => !endpointByName(name) && !gorilla.includes(name)).map((name) => ownEndpoint(name, 'http')),
  ]
}

type Locals = ReadonlyMap<string, LocalEndpoint>

/** Finds what is not served to the public: services marked so, and calls about one particular node. */
function createOffCheck(table: MethodTable, locals: Locals): (endpoint: Endpoint) => boolean {
  return ({ name, dialect }) => {
    if (!table.isPublic) return false
    const local = locals.get(name)
    if (local) return local.private === true
    if (table.hasLocal(name)) return table.isOff(name)
    return dialect === 'http' || name === 'health'
  }
}

/** Selects the serving of an exchange by dialect. */
function createServing(options: NodeApiOptions, table: MethodTable, locals: Locals) {
  const { forwarder, evm, bodyLimitBytes } = options
  const end = createFinish(options.logger)
  const told = unlessStarting(options.chains, evm)
  const finish: Finish = (exchange, answer, read) => end(exchange, told(exchange, answer), read)
  const callerAddress = createCallerAddress(options.proxyHops)
  const answer = createGorillaHandler({ table, forwarder, callerAddress, chains: options.chains })
  const gorilla = createGorillaServing({ answer, finish, bodyLimitBytes })
  const evmServing = createEvmServing({ evm, finish })
  const plain = createPlainServing({ forwarder, finish, bodyLimitBytes })

  const serveForwarded = (exchange: Exchange): void => {
    const { dialect, name } = exchange.endpoint
    if (dialect === 'evm') evmServing(exchange)
    else if (dialect === 'ws')
      exchange.send({ ...httpError(400, 'Bad Request'), extra: { 'Sec-Websocket-Version': '13' } })
    else if (dialect === 'http' || (name === 'health' && exchange.request.method === 'GET')) plain(exchange, 'identity')
    else if (dialect === 'any') plain(exchange, 'any')
    else gorilla(exchange)
  }
  const serveLocal = async (exchange: Exchange, local: LocalEndpoint): Promise<void> => {
    const own = await askLocal(exchange, local)
    if (own) exchange.send(own)
    else serveForwarded(exchange)
  }
  return (exchange: Exchange): void => {
    const local = locals.get(exchange.endpoint.name)
    if (!local) serveForwarded(exchange)
    else serveLocal(exchange, local).catch((error: unknown) => finish(exchange, Promise.reject(error)))
  }
}

export function createNodeApi(options: NodeApiOptions): NodeApi {
  const { forwarder, chains, evm } = options
  const table = createMethodTable(options.services, { public: options.publicDeployment })
  const router = createRouter(chains, ownEndpoints(options), options.nodeAliases)
  const cors = createCors(options.corsOrigins, { withAuthorization: options.tokens })
  const hostAllowed = createHostCheck(options.allowedHosts)
  const locals = new Map(options.endpoints.map((endpoint) => [endpoint.endpoint, endpoint]))
  const serve = createServing(options, table, locals)
  const isOff = createOffCheck(table, locals)

  const refuseEarly = (request: IncomingMessage, target: RequestTarget): NodeAnswer | undefined => {
    if (!hostAllowed(target.authority ?? request.headers.host)) return httpError(403, 'invalid host specified')
    // No chain served here has handlers that are selected by header, and the header must not select a path at a node.
    if (request.headers[ROUTE_HEADER] !== undefined) return emptyAnswer(404)
    const clean = cleanPath(target.path)
    if (clean === target.path) return undefined
    return { ...emptyAnswer(301), extra: { Location: encodePath(clean, target.isEscaped) + target.query } }
  }
  /** Finds the endpoint; disabled ones do not exist. */
  const route = (path: string, found: (endpoint: Endpoint) => void, missing: (answer: NodeAnswer) => void): void => {
    const start = (endpoint: Endpoint | undefined): void =>
      !endpoint || isOff(endpoint) ? missing(notFound()) : found(endpoint)
    const endpoint = router.resolve(path)
    if (endpoint instanceof Promise) void endpoint.then(start, () => missing(notFound()))
    else start(endpoint)
  }
  const handle = (request: IncomingMessage, response: ServerResponse, target: RequestTarget): void => {
    const preflight = cors.preflight(request)
    if (preflight) {
      writePairs(response, preflight, forwarder.nodeId())
      return
    }
    const allow = cors.allow(headerOf(request, 'origin'), request.method)
    const send = (answer: NodeAnswer): void => writeAnswer(request, response, answer, allow, forwarder.nodeId())
    const refused = refuseEarly(request, target)
    const signal = createLeaveSignal(response)
    if (refused) send(refused)
    else route(target.path, (endpoint) => serve({ request, response, target, endpoint, send, signal }), send)
  }
  const upgrade: NodeApi['upgrade'] = (request, socket, head, target, over) => {
    const allow = cors.allow(headerOf(request, 'origin'), request.method)
    const refuse = (answer: NodeAnswer): void =>
      writeRefusal(request, socket, answer, { allow, nodeId: forwarder.nodeId() })
    const found = (endpoint: Endpoint): void => {
      if (endpoint.dialect !== 'ws') refuse(httpError(400, 'Bad Request'))
      else if (evm.upgrade) {
        const problem = evm.upgrade(endpoint, request, socket, head, over)
        if (problem) refuse(problem)
      } else refuse(httpError(501, 'WebSockets are not served'))
    }
    const refused = refuseEarly(request, target)
    if (refused) refuse(refused)
    else route(target.path, found, refuse)
  }
  return { router, handle, upgrade }
}
