import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PageOrigins } from '../plugins/page-origins.ts'
import { isMeantForApi, refuseUnreadableTarget } from '../plugins/unreadable-target.ts'
import type { AccessGuard, AccessRequest } from './access.ts'
import { createHeldAccess } from './held-access.ts'
import { connectionPairs, type NodeAnswer } from './http/answer.ts'
import { createClientErrorAnswer, refusalBytes } from './http/connection/client-error.ts'
import { createCutAnswers } from './http/connection/cut-answer.ts'
import { createExpectationCheck } from './http/connection/expectation.ts'
import { hostProblem } from './http/connection/host-header.ts'
import { endWith } from './http/connection/last-answer.ts'
import { createOneByOne } from './http/connection/one-by-one.ts'
import { createQueuedAnswers } from './http/connection/queued-answers.ts'
import { createReadingTimes } from './http/connection/reading-times.ts'
import { ServerRequest } from './http/connection/server-request.ts'
import { createUnreadBodies } from './http/connection/unread-bodies.ts'
import { writeRefusal } from './http/connection/upgrade.ts'
import { preflightMethod } from './http/cors.ts'
import { cleanPath, parseTarget, type RequestTarget } from './http/target.ts'
import type { NodeApi } from './node-api.ts'

export interface FrontDoorOptions {
  node: NodeApi
  /** Access tokens; left out: every request is let in. */
  guard?: AccessGuard
  /** Left out: every request is let in, however high the load. */
  admission?: AdmissionGuard
  /** Which pages may read a refusal under /v1. */
  pages: PageOrigins
  keepAliveTimeoutMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** Time for the client to read a complete answer, milliseconds. */
  answerTimeoutMs: number
  /** Total size of the answers that wait to be read. */
  answerRoomBytes: number
}

/** Decides before any API sees a request whether it is let in, and refuses the others. */
interface AdmissionGuard {
  /** Undefined = it is let in. */
  refusal(path: string, request: IncomingMessage): string | undefined
  enter(request: IncomingMessage, response: ServerResponse, isNodes: boolean): void
  /** A WebSocket that was let in, as far as path and headers are checked here. */
  upgrade(request: IncomingMessage, socket: Duplex): void
  refuse(response: ServerResponse, path: string): void
}

/** A node accepts 64 kB of headers and more; without a limit they would only fill memory. */
export const MAX_HEADER_BYTES = 131_072
const CONNECTIONS_CHECK_MS = 5_000
const OPEN_PATH = '/ext/auth'
/** Seconds after which a refused WebSocket may retry. */
const RETRY_AFTER = '1'

const isNodePath = (path: string): boolean => path === '/ext' || path.startsWith('/ext/')

/** An upgrade is not a preflight: it would otherwise bypass the guard. */
const isPreflight = (request: IncomingMessage): boolean =>
  request.headers.upgrade === undefined && preflightMethod(request) !== ''

/** Go's server answers it before any handler, that of the guard included. */
const isServerOptions = (request: IncomingMessage): boolean => request.url === '*' && request.method === 'OPTIONS'
const NOTHING: NodeAnswer = { status: 200, body: Buffer.alloc(0) }

const accessOf = (request: IncomingMessage, { path }: RequestTarget): AccessRequest => ({
  path,
  target: request.url ?? '/',
  authorization: request.headers.authorization,
})

/** Under /ext without CORS and node id headers, because a node's guard runs before those are added. */
function writeBare(
  response: ServerResponse,
  { status, contentType, extra, body }: NodeAnswer,
  cors: Record<string, string> = {},
): void {
  response.writeHead(status, [
    ...connectionPairs(response),
    ...(contentType === undefined ? [] : ['Content-Type', contentType]),
    ...Object.entries({ ...cors, ...extra }).flat(),
    'Content-Length',
    String(body.length),
  ])
  response.end(body)
}

/** Passed to Fastify, which runs behind the front door. */
export interface FrontDoor {
  serverFactory(others: RequestListener): Server
  clientErrorHandler(error: NodeJS.ErrnoException, socket: Duplex): void
}

/**
 * The server's own request listener: requests under /ext go straight to the node API, all others to Fastify. Bodies
 * under /ext are never parsed, and forwarding bypasses Fastify's hooks and copies.
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { node, guard, admission, pages } = options
  const answering = new WeakMap<Duplex, ServerResponse>()
  const upgraded = new WeakSet<Duplex>()
  const reading = createReadingTimes(options.answerTimeoutMs, options.answerRoomBytes)
  const queued = createQueuedAnswers()
  const oneByOne = createOneByOne()
  const cut = createCutAnswers()
  const unread = createUnreadBodies(options.requestTimeoutMs)
  const held = guard && createHeldAccess(guard)

  const guarded = (request: IncomingMessage, target: RequestTarget): NodeAnswer | undefined => {
    if (!guard || target.path === OPEN_PATH || isPreflight(request)) return undefined
    return guard(accessOf(request, target))
  }
  const isNodes = ({ path }: RequestTarget): boolean => isNodePath(path) || isNodePath(cleanPath(path))

  const answer =
    (others: RequestListener): RequestListener =>
    (request, response) => {
      const target = parseTarget(request.url ?? '/')
      const badHost = hostProblem(request)
      if (!target && badHost === undefined && isMeantForApi(request.url ?? '')) {
        refuseUnreadableTarget(response, request.url ?? '', pages)
        return
      }
      // A request line without a version is HTTP of 1991: it has no headers, so its end cannot be found.
      if (!target || badHost !== undefined || request.httpVersionMajor < 1) {
        endWith(request.socket, refusalBytes('400 Bad Request', badHost))
        return
      }
      if (admission?.refusal(target.path, request) !== undefined) {
        admission.refuse(response, target.path)
        return
      }
      const isForNode = isNodes(target)
      admission?.enter(request, response, isForNode)
      const refused = isServerOptions(request) ? NOTHING : guarded(request, target)
      if (refused) writeBare(response, refused, isMeantForApi(target.path) ? pages(request) : {})
      else if (isForNode) node.handle(request, response, target)
      else others(request, response)
    }
  const onRequest = (others: RequestListener): RequestListener => {
    const begin = answer(others)
    return (request, response) => {
      answering.set(request.socket, response)
      queued.watch(request, response)
      reading.watch(response)
      cut.watch(response)
      unread.watch(response)
      oneByOne.take(request, response, () => begin(request, response))
    }
  }
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // A client that resets its connection must not crash the process.
    socket.on('error', () => socket.destroy())
    upgraded.add(socket)
    oneByOne.takeLast(socket, () => upgrade(request, socket, head))
  }
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const target = parseTarget(request.url ?? '/')
    const refused = target && guarded(request, target)
    const full = target && admission?.refusal(target.path, request)
    const badHost = hostProblem(request)
    if (!target || badHost !== undefined) endWith(socket, refusalBytes('400 Bad Request', badHost))
    else if (full !== undefined)
      endWith(socket, refusalBytes('503 Service Unavailable', '', full === 'not served here' ? undefined : RETRY_AFTER))
    else if (refused) writeRefusal(request, socket, refused)
    else if (isNodes(target)) {
      admission?.upgrade(request, socket)
      node.upgrade(request, socket, head, target, held?.watch(accessOf(request, target), socket))
    } else endWith(socket, refusalBytes('404 Not Found'))
  }
  const serverFactory = (others: RequestListener): Server => {
    const server = createServer(
      {
        keepAliveTimeout: options.keepAliveTimeoutMs,
        headersTimeout: options.headersTimeoutMs,
        requestTimeout: options.requestTimeoutMs,
        connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Handled above, in the words of Go's server.
        requireHostHeader: false,
        IncomingMessage: ServerRequest,
      },
      onRequest(others),
    )
    // Node.js would leave those beyond its 2,000 out without a word; what they may hold is limited above.
    server.maxHeadersCount = 0
    server.on('upgrade', onUpgrade)
    server.on('checkExpectation', createExpectationCheck(server))
    return server
  }
  const clientErrorHandler = createClientErrorAnswer({
    of: (socket) => answering.get(socket),
    isUpgraded: (socket) => upgraded.has(socket),
    requestTimeoutMs: options.requestTimeoutMs,
  })
  return { serverFactory, clientErrorHandler }
}
