import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Makes sure that a client that is answered before its whole body has arrived receives the answer. */
export interface UnreadBodies {
  watch(response: ServerResponse): void
}

/** Maximum time for the rest of a body after an answer that ends its connection, milliseconds. */
const REST_MS = 5_000

/**
 * Closing a connection while bytes arrive resets it and loses the answer: to a proxy that was still sending a large
 * body, a refusal (401, 413, 503) looked like a crashed server. So after the answer the rest is read and dropped until
 * it is complete, the client closes, or the time is over.
 *
 * @param requestTimeoutMs for a whole request; the rest of one never gets more
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
