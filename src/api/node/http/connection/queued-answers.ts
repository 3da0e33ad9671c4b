import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers that wait for earlier ones on their connection: their requests were pipelined. */
export interface QueuedAnswers {
  /** Called with each request before anything is written. */
  watch(request: IncomingMessage, response: ServerResponse): void
}

const end = (response: ServerResponse): void => {
  if (response.closed) return
  response.destroy()
  response.emit('close')
}

/**
 * Ends queued answers with their connection. Node only tells the answer that is being written: for code that counts or
 * holds something per answer, the others would stay open forever.
 */
export function createQueuedAnswers(): QueuedAnswers {
  const queues = new WeakMap<Duplex, Set<ServerResponse>>()
  const queueOf = (socket: Duplex): Set<ServerResponse> => {
    const known = queues.get(socket)
    if (known) return known
    const queue = new Set<ServerResponse>()
    queues.set(socket, queue)
    // After Node's own work at the end of a connection.
    socket.once('close', () => setImmediate(() => queue.forEach(end)))
    return queue
  }
  return {
    watch({ socket }, response) {
      // It is the answer that is being written.
      if (response.socket !== null) return
      const queue = queueOf(socket)
      queue.add(response)
      response.once('close', () => queue.delete(response))
    },
  }
}
