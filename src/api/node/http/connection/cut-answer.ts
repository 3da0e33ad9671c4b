import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node closes a socket with this mark by a reset; `resetAndDestroy` first waits for a reader that reads nothing. */
interface Resettable extends Socket {
  resetAndClosing?: boolean
}

/** Makes sure that a truncated answer never looks complete. */
export interface CutAnswers {
  watch(response: ServerResponse): void
}

/**
 * HTTP/1.0 has no chunks: if the length is not known at the start, the end of the connection ends the answer. A
 * truncated answer would end the same way, and a proxy that uses this version, as nginx does by default, would pass on
 * a stream with missing chains as a complete one. So the connection is reset, which nobody takes for a normal end.
 */
export function createCutAnswers(): CutAnswers {
  /** HTTP/1.0 connections and their current answers. */
  const answered = new WeakMap<Socket, ServerResponse>()
  const resetWhenCut = (socket: Resettable): void => {
    const destroy = socket.destroy
    socket.destroy = (error) => {
      const answer = answered.get(socket)
      // A connection that has already sent its end cannot be reset.
      if (answer?.headersSent && !answer.writableFinished && !socket.writableEnded) socket.resetAndClosing = true
      return destroy.call(socket, error)
    }
  }
  return {
    watch(response) {
      const { httpVersionMinor, socket } = response.req
      if (httpVersionMinor !== 0) return
      if (!answered.has(socket)) resetWhenCut(socket)
      answered.set(socket, response)
    },
  }
}
