import type { IncomingMessage } from 'node:http'
import { WebSocketServer } from 'ws'
import { UpstreamUnavailableError } from '../../../../errors.ts'
import type { PeerProcesses } from '../../forward/consistency/peer-processes.ts'
import { httpError, type NodeAnswer } from '../../http/answer.ts'
import { createAnswerRoom } from '../../http/connection/answer-room.ts'
import { chainEndpoint, type Endpoint, PRIMARY } from '../../routes/endpoint.ts'
import type { EvmApi } from '../endpoint.ts'
import { SOCKET_LIMITS, type SocketLimits } from './limits.ts'
import { isOnOwnChain } from './link/own-chain.ts'
import { type LinkEvents, openLink, type SocketTarget, type UpstreamLink } from './link/upstream-link.ts'
import { createMessageRoom } from './message-room.ts'
import { CLOSE, createSession, type Session } from './session.ts'

/** WebSockets of EVM chains. */
export interface EvmSockets {
  /** Host, route and access have been checked. Returns why it is refused; the caller then still owns the socket. */
  upgrade: Required<EvmApi>['upgrade']
  readonly size: number
  /** Closes the connection of every client (1001) and accepts no more. */
  close(): void
}

export interface EvmSocketsDeps {
  /** Answers calls that are not subscriptions, as over HTTP. */
  answer: EvmApi['answer']
  /** Nodes of a chain, the best first. `endpoint` = the chain's `rpc`. */
  targets(endpoint: Endpoint): readonly SocketTarget[]
  /** A node has pushed a block. */
  onHead(endpoint: Endpoint, host: string, height: bigint): void
  /** Other processes, which are to know what a push shows; left out = this is the only one. */
  peers?: PeerProcesses | undefined
  limits?: Partial<SocketLimits>
}

const KEY = /^[+/0-9A-Za-z]{22}==$/

const badRequest = (): NodeAnswer => ({
  ...httpError(400, 'Bad Request'),
  extra: { 'Sec-Websocket-Version': '13' },
})

/** Another process may have room, or this one in a moment. */
const tooMany = (): NodeAnswer => ({ ...httpError(503, 'Service Unavailable'), extra: { 'Retry-After': '1' } })

/** In the order and the words of the node's library. */
function refusal({ method, headers }: IncomingMessage): NodeAnswer | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return badRequest()
  if (method !== 'GET') return { ...httpError(405, 'Method Not Allowed'), extra: { 'Sec-Websocket-Version': '13' } }
  const isRight = headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '')
  return isRight ? undefined : badRequest()
}

/** The `rpc` endpoint that belongs to a `ws` endpoint. */
export function rpcBeside({ source }: Endpoint): Endpoint | undefined {
  return typeof source === 'string' ? PRIMARY.C.get('rpc') : chainEndpoint(source.blockchainId, 'rpc')
}

/** A link to a node of the network; nothing is read from it before its network is known. */
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

export function createEvmSockets({ answer, targets, onHead, peers, limits: own }: EvmSocketsDeps): EvmSockets {
  const limits = { ...SOCKET_LIMITS, ...own }
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
    // Like a node: no protocol is chosen, whatever is offered, and UTF-8 is not checked.
    handleProtocols: () => false,
    skipUTF8Validation: true,
    // One turn of the event loop per message: thousands of small ones arrive together, and other clients need turns.
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
          connect: (events, without) =>
            connectFirst(
              targets(rpc).filter(({ host }) => !without.has(host)),
              events,
              limits.pingMs,
            ),
          onHead: (host, height) => onHead(rpc, host, height),
          peers,
          onClosed: () => void sessions.delete(session),
          limits,
          room,
          unread,
        })
        sessions.add(session)
        const end = (): void => session.close(CLOSE.policy, 'the access token is no longer valid')
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
