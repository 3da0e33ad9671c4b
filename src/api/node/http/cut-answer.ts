import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node closes a socket that is marked so by a reset; `resetAndDestroy` would first wait for a reader who reads nothing. */
interface Resettable extends Socket {
  resetAndClosing?: boolean
}

/** Sees to it that no answer that was cut looks whole. */
export interface CutAnswers {
  watch(response: ServerResponse): void
}

/**
 * HTTP/1.0 has no chunks: where the length is not known at the beginning, an answer ends with its connection. One that is
 * cut would end the same way, and a proxy that asks in that version, as nginx does by itself, would hand on a stream that
 * lacks chains as a whole one. So the connection is reset, which nobody takes for an end.
 */
export function createCutAnswers(): CutAnswers {
  /** Connections on which HTTP/1.0 is spoken, and what is answered there. */
  const answered = new WeakMap<Socket, ServerResponse>()
  const resetWhenCut = (socket: Resettable): void => {
    const destroy = socket.destroy
    socket.destroy = (error) => {
      const answer = answered.get(socket)
      // A connection that has said its end already cannot be reset.
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
