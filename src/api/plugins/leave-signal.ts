import type { ServerResponse } from 'node:http'

/** A signal for one request that aborts when the client disconnects before its answer is sent; created on demand. */
export function createLeaveSignal(response: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (!controller) {
      const made = new AbortController()
      controller = made
      const look = (): void => {
        if (!response.writableFinished) made.abort()
      }
      if (response.closed) look()
      else response.once('close', look)
    }
    return controller.signal
  }
}
