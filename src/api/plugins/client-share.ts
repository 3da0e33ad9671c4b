import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientSource } from '../../lib/http/client-source.ts'
import { TransientMap } from '../../lib/transient-map.ts'

/** Anything with an end event: an answer, a WebSocket, a connection. */
interface Ending {
  once(event: 'close', listener: () => void): unknown
}

/** Bounds what one client address (IPv6: one /64) may have in progress, so that it cannot take all places. */
export interface ClientShare {
  /** True when the sender already has as much in progress as one client may have. */
  isUsedUp(request: IncomingMessage): boolean
  /** Counts a request that was let in, or a WebSocket, until it ends. */
  enter(request: IncomingMessage, ending: Ending): void
  /** Closes connections of one peer beyond twice that number: some are idle between requests. */
  watchConnections(server: Server): void
}

export interface ClientShareOptions {
  /** Requests, streams and WebSockets of one client at a time; 0 = no limit. */
  maxPerClient: number
  /** The client's address, as far as it can be known. */
  addressOf: (request: IncomingMessage) => string | undefined
  /** Connections come from clients directly, not from proxies. */
  isDirect: boolean
}

/** Counters per client. */
function createCounts() {
  const counts = new TransientMap<string, number>()
  return {
    of: (client: string): number => counts.get(client) ?? 0,
    add(client: string, ending: Ending): void {
      counts.set(client, (counts.get(client) ?? 0) + 1)
      ending.once('close', () => {
        const left = (counts.get(client) ?? 1) - 1
        if (left > 0) counts.set(client, left)
        else counts.delete(client)
      })
    },
  }
}

export function createClientShare({ maxPerClient, addressOf, isDirect }: ClientShareOptions): ClientShare {
  const underWay = createCounts()
  const connections = createCounts()
  const isLimited = maxPerClient > 0
  return {
    isUsedUp: (request) => isLimited && underWay.of(clientSource(addressOf(request))) >= maxPerClient,
    enter: (request, ending) => {
      if (isLimited) underWay.add(clientSource(addressOf(request)), ending)
    },
    watchConnections: (server) => {
      if (!isLimited || !isDirect) return
      server.prependListener('connection', (socket: Socket) => {
        const peer = clientSource(socket.remoteAddress)
        if (connections.of(peer) >= 2 * maxPerClient) socket.destroy()
        else connections.add(peer, socket)
      })
    },
  }
}
