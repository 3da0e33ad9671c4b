import type { FastifyInstance } from 'fastify'

/** Counts requests from their headers to the end of their answers, streams included. */
export function installRequestLedger(app: FastifyInstance, begin: () => () => void): void {
  app.addHook('onRequest', async (_request, reply) => {
    // Not `onResponse`: streams take the answer over, and a client may leave before there is one.
    reply.raw.once('close', begin())
  })
}
