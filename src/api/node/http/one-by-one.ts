import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Begins the requests of a connection one after another. */
export interface OneByOne {
  /** To be called with each request; `begin` is called when the answers to those before it are out. */
  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void
}

/** Requests of one connection that wait; who sends more without waiting for answers is cut. */
const MOST_WAITING = 256

/**
 * As Go's server does it. Node reads and begins all requests that came in together at once: a thousand of them fit into one
 * read of 64 KiB, and nobody else was served until the last of these was answered. Each begins in a turn of the event loop of
 * its own, in which others have theirs.
 */
export function createOneByOne(): OneByOne {
  const last = new WeakMap<Duplex, ServerResponse>()
  const waiting = new WeakMap<Duplex, number>()
  return {
    take({ socket }, response, begin) {
      const before = last.get(socket)
      last.set(socket, response)
      // It is the one whose answer may be written.
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
  }
}
