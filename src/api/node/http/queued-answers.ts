import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers that wait behind others on their connection: their requests were sent without waiting (pipelining). */
export interface QueuedAnswers {
  /** To be called with each request before anything is written. */
  watch(request: IncomingMessage, response: ServerResponse): void
}

const end = (response: ServerResponse): void => {
  if (response.closed) return
  response.destroy()
  response.emit('close')
}

/**
 * Ends them with their connection. Node tells of that only the answer that is being written: the others would be open for
 * good to all who count or hold something until then.
 */
export function createQueuedAnswers(): QueuedAnswers {
  const queues = new WeakMap<Duplex, Set<ServerResponse>>()
  const queueOf = (socket: Duplex): Set<ServerResponse> => {
    const known = queues.get(socket)
    if (known) return known
    const queue = new Set<ServerResponse>()
    queues.set(socket, queue)
    // Behind what Node does itself at the end of a connection.
    socket.once('close', () => setImmediate(() => queue.forEach(end)))
    return queue
  }
  return {
    watch({ socket }, response) {
      // It is the one that is being written.
      if (response.socket !== null) return
      const queue = queueOf(socket)
      queue.add(response)
      response.once('close', () => queue.delete(response))
    },
  }
}
