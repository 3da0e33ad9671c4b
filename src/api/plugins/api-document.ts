import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createAsset, type ServedAsset, sendAsset } from './send-asset.ts'

/**
 * Answers with the OpenAPI document of `app`, which is complete and final once the server is ready. It is written once:
 * to write its 100 kB takes longer than to answer most requests, and nobody else is served meanwhile.
 */
export function createDocumentHandler(app: FastifyInstance) {
  let written: ServedAsset | undefined
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    written ??= createAsset('application/json; charset=utf-8', Buffer.from(JSON.stringify(app.swagger())))
    return sendAsset(written, request, reply)
  }
}
