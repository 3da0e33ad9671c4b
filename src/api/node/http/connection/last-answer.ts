import type { Duplex } from 'node:stream'

/** Time for a client to read the last answer of its connection and to close it, milliseconds. */
const GOODBYE_MS = 5_000

/**
 * Writes the last answer of a connection that is no longer read as HTTP. Node leaves the client's half of it open: none
 * of the server's timeouts apply any more, and the end of an unread connection is never noticed, so it would occupy its
 * place for the life of this process. Further input is dropped until the client closes or the time is over.
 */
export function endWith(socket: Duplex, answer: string | Buffer): void {
  socket.end(answer)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), GOODBYE_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}
