import type { Server } from 'node:http'

/** Counts requests of all APIs from their headers to the end of their answers, streams included. */
export function installRequestLedger(server: Server, begin: () => () => void): void {
  // Before any API sees it, and on the response: a client may disconnect before there is an answer.
  server.prependListener('request', (_request, response) => {
    response.once('close', begin())
  })
}
