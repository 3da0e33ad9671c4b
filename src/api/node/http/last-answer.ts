import type { Duplex } from 'node:stream'

/** Time for a client to take the answer that ends its connection, and to close it, milliseconds. */
const GOODBYE_MS = 5_000

/**
 * Writes the last answer of a connection that is read as HTTP no longer. Node leaves the client's half of it open: none of the
 * server's times counts there any more, and of a connection that nobody reads the end is never seen, so that its place would
 * be taken for as long as this process lives. What still comes in is dropped until the client closes, or its time is over.
 */
export function endWith(socket: Duplex, answer: string | Buffer): void {
  socket.end(answer)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), GOODBYE_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}
