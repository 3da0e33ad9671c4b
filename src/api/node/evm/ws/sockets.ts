import type { IncomingMessage } from 'node:http'
import { WebSocketServer } from 'ws'
import { UpstreamUnavailableError } from '../../../../errors.ts'
import { httpError, type NodeAnswer } from '../../http/answer.ts'
import { createAnswerRoom } from '../../http/answer-room.ts'
import { chainEndpoint, type Endpoint, PRIMARY } from '../../routes/endpoint.ts'
import type { EvmApi } from '../endpoint.ts'
import { SOCKET_LIMITS, type SocketLimits } from './limits.ts'
import { createMessageRoom } from './message-room.ts'
import { isOnOwnChain } from './own-chain.ts'
import { CLOSE, createSession, type Session } from './session.ts'
import { type LinkEvents, openLink, type SocketTarget, type UpstreamLink } from './upstream-link.ts'

/** WebSockets of EVM chains. */
export interface EvmSockets {
  /** Host, route and access have been checked. Returns why it is refused; then the socket is still the caller's. */
  upgrade: Required<EvmApi>['upgrade']
  readonly size: number
  /** Says goodbye to every client (1001) and takes no more. */
  close(): void
}

export interface EvmSocketsDeps {
  /** Answers calls that are no subscriptions, as over HTTP. */
  answer: EvmApi['answer']
  /** Nodes of a chain, the best first. `endpoint` = the chain's `rpc`. */
  targets(endpoint: Endpoint): readonly SocketTarget[]
  /** A node has pushed a block. */
  onHead(endpoint: Endpoint, host: string, height: bigint): void
  limits?: Partial<SocketLimits>
}

const KEY = /^[+/0-9A-Za-z]{22}==$/

const badRequest = (): NodeAnswer => ({
  ...httpError(400, 'Bad Request'),
  extra: { 'Sec-Websocket-Version': '13' },
})

/** Another process, or this one in a moment, may have room. */
const tooMany = (): NodeAnswer => ({ ...httpError(503, 'Service Unavailable'), extra: { 'Retry-After': '1' } })

/** In the order and the words of the node's library. */
function refusal({ method, headers }: IncomingMessage): NodeAnswer | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return badRequest()
  if (method !== 'GET') return { ...httpError(405, 'Method Not Allowed'), extra: { 'Sec-Websocket-Version': '13' } }
  const isRight = headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '')
  return isRight ? undefined : badRequest()
}

/** The `rpc` endpoint beside a `ws` endpoint. */
export function rpcBeside({ source }: Endpoint): Endpoint | undefined {
  return typeof source === 'string' ? PRIMARY.C.get('rpc') : chainEndpoint(source.blockchainId, 'rpc')
}

/** A link to a node that is of the network; nothing is heard of it before that is known. */
async function openOwn(target: SocketTarget, events: LinkEvents, pingMs: number): Promise<UpstreamLink> {
  const { network, host } = target
  if (!network) return openLink(target, events, pingMs)
  let known = false
  const heard: LinkEvents = {
    onNotification: (message) => {
      if (known) events.onNotification(message)
    },
    onLost: () => {
      if (known) events.onLost()
    },
  }
  const link = await openLink(target, heard, pingMs)
  const own = await isOnOwnChain(link, network)
  known = own === true
  if (known) return link
  link.close()
  throw new UpstreamUnavailableError(`${host}: ${own === false ? `not on ${network.network}` : 'no answer'}`)
}

async function connectFirst(
  targets: readonly SocketTarget[],
  events: LinkEvents,
  pingMs: number,
): Promise<UpstreamLink> {
  let failure: unknown
  for (const target of targets) {
    try {
      return await openOwn(target, events, pingMs)
    } catch (error) {
      failure = error
    }
  }
  throw failure ?? new UpstreamUnavailableError('no node with a WebSocket')
}

export function createEvmSockets({ answer, targets, onHead, limits: own }: EvmSocketsDeps): EvmSockets {
  const limits = { ...SOCKET_LIMITS, ...own }
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
    // As a node: whatever is offered, no protocol is chosen, and bytes are not looked at.
    handleProtocols: () => false,
    skipUTF8Validation: true,
    // Each message in a turn of the event loop of its own: thousands of small ones come in together, and others want theirs.
    allowSynchronousEvents: false,
  })
  const sessions = new Set<Session>()
  const room = createMessageRoom(limits.maxHeldBytes)
  const unread = createAnswerRoom(limits.maxUnreadBytes)
  let closed = false

  return {
    upgrade: (endpoint, request, socket, head, over) => {
      const rpc = rpcBeside(endpoint)
      const refused = refusal(request)
      if (refused || !rpc) return refused ?? badRequest()
      if (closed || sessions.size >= limits.maxSockets) return tooMany()
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const session = createSession({
          connection: { socket: webSocket, stream: socket },
          endpoint: rpc,
          answer,
          connect: (events) => connectFirst(targets(rpc), events, limits.pingMs),
          onHead: (host, height) => onHead(rpc, host, height),
          onClosed: () => void sessions.delete(session),
          limits,
          room,
          unread,
        })
        sessions.add(session)
        const end = (): void => session.close(CLOSE.policy, 'the access token is over')
        over?.addEventListener('abort', end)
        if (over?.aborted) end()
      })
      return undefined
    },
    get size() {
      return sessions.size
    },
    close: () => {
      closed = true
      for (const session of sessions) session.close(CLOSE.goingAway, 'going away')
    },
  }
}
