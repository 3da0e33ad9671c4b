import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Sees to it that whoever is answered before all of his body is here hears the answer. */
export interface UnreadBodies {
  watch(response: ServerResponse): void
}

/** Time for what is left of a body behind an answer that ends its connection, at most, milliseconds. */
const REST_MS = 5_000

/**
 * A connection that is closed while bytes come in is reset, and the answer with it: to a proxy that still sends a large body
 * a refusal (401, 413, 503) looked like a server that had died. So the rest is read and dropped behind the answer, until it
 * is here, the client closes, or its time is over.
 *
 * @param requestTimeoutMs for the whole of a request; nobody has more for the rest of one
 */
export function createUnreadBodies(requestTimeoutMs: number): UnreadBodies {
  const asked = new WeakMap<Socket, IncomingMessage>()
  const readRest = (socket: Socket): void => {
    const { destroySoon } = socket
    let reading = false
    socket.destroySoon = () => {
      const request = asked.get(socket)
      if (reading) return
      if (!request || request.complete || request.destroyed || socket.destroyed) {
        destroySoon.call(socket)
        return
      }
      reading = true
      socket.end()
      const timer = setTimeout(() => socket.destroy(), Math.min(REST_MS, requestTimeoutMs)).unref()
      socket.once('close', () => clearTimeout(timer))
      request.once('end', () => destroySoon.call(socket)).resume()
    }
  }
  return {
    watch({ req }) {
      if (!asked.has(req.socket)) readRest(req.socket)
      asked.set(req.socket, req)
    },
  }
}
