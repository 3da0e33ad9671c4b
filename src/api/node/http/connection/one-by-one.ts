import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Starts the requests of a connection one after another. */
export interface OneByOne {
  /** Called with each request; calls `begin` when the answers to earlier requests are sent. */
  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void
  /** The same for a request to switch protocols, which is the last one of its connection. */
  takeLast(socket: Duplex, begin: () => void): void
}

/** Waiting requests per connection; a client that sends more without waiting for answers is cut. */
const MOST_WAITING = 256

/**
 * As Go's server does. Node parses and starts all requests that arrive together at once: a thousand of them fit into
 * one read of 64 KiB, and no other client was served until the last of them was answered. Each starts in its own turn
 * of the event loop, so that other clients get turns.
 */
export function createOneByOne(): OneByOne {
  const last = new WeakMap<Duplex, ServerResponse>()
  const waiting = new WeakMap<Duplex, number>()
  return {
    take({ socket }, response, begin) {
      const before = last.get(socket)
      last.set(socket, response)
      // It is the request whose answer may be written.
      if (response.socket !== null || before === undefined || before.closed) return begin()
      const count = (waiting.get(socket) ?? 0) + 1
      waiting.set(socket, count)
      if (count > MOST_WAITING) socket.destroy()
      // In its own trace, not in that of the request before it.
      const own = AsyncResource.bind(begin)
      before.once('close', () =>
        setImmediate(() => {
          waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
          if (!response.closed && !socket.destroyed) own()
        }),
      )
    },
    takeLast(socket, begin) {
      const before = last.get(socket)
      if (before === undefined || before.closed) return begin()
      before.once('close', () =>
        setImmediate(() => {
          if (!socket.destroyed) begin()
        }),
      )
    },
  }
}
