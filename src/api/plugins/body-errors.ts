import type { FastifyRequest } from 'fastify'

/** The parser does not say which of the two it was. */
export const NOT_JSON = 'body is not valid JSON, or has a member named __proto__ or constructor.prototype'

/** Compressed bodies are not read by the APIs under /v1, and would otherwise look like broken JSON. */
export const isEncoded = (request: FastifyRequest): boolean =>
  (request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'
