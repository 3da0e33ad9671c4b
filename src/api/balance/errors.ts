import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CancelledError } from '../../errors.ts'
import { isEncoded, NOT_JSON } from '../plugins/body-errors.ts'
import { noteReason } from '../plugins/request-log.ts'
import { type Issue, issue } from './issues.ts'

/** Bodies of refused requests that carry one upper-case word, by status. */
const WORDS: Record<number, string> = {
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'SERVICE_UNAVAILABLE',
}

/** Answers with a status and its word; `reason` explains it to people. */
export function refuse(reply: FastifyReply, status: number, reason?: string): FastifyReply {
  if (status >= 500 && reason !== undefined) noteReason(reply, reason)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send({ message: WORDS[status] ?? 'INTERNAL_ERROR', ...(reason === undefined ? {} : { error: reason }) })
}

/** 400 of the balance API: `{message, issues, method, url}` (balance spec, errors). */
export const refusePayload = (request: FastifyRequest, reply: FastifyReply, issues: readonly Issue[]): FastifyReply =>
  reply
    .code(400)
    .type('application/json; charset=utf-8')
    .send({ message: 'INVALID_PAYLOAD', issues, method: request.method, url: request.url })

/** Error handler, 404 and 405 of the balance and stake routes. Details of unexpected errors never leave the server. */
export function installErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, request, reply) => {
    const status = error.statusCode ?? 500
    if (status === 400) {
      if (isEncoded(request)) return refuse(reply.header('accept-encoding', 'identity'), 415)
      const message = error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ? 'body is required' : NOT_JSON
      return refusePayload(request, reply, [issue([], 'invalid_json', message)])
    }
    if (WORDS[status] !== undefined) return refuse(reply, status)
    // Nobody reads the answer, and strangers must not fill the log by disconnecting.
    if (error instanceof CancelledError && reply.raw.closed) return reply.code(499).send()
    // The reader left before the headers were sent: wallets do so all the time.
    if (reply.raw.destroyed && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return refuse(reply, 500)
    request.log.error({ err: error }, 'unexpected failure')
    return refuse(reply, 500)
  })
  // Not a not-found handler: an instance can have only one, and each API has its own error shape. Runs before the body
  // is read, because errors of the body (415, 413) would hide that the path is unknown.
  for (const url of ['/v1/balance/*', '/v1/stake/*']) {
    const refusePath = (_request: FastifyRequest, reply: FastifyReply) => void refuse(reply, 404)
    app.all(url, { schema: { hide: true }, onRequest: refusePath }, refusePath)
  }
}

/**
 * Every other method of a known path is 405 with `allow`, not 404, so that the client knows what is wrong. Runs before
 * the body is read, because errors of the body (415, 413) would hide that.
 */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const refuseMethod = (reply: FastifyReply) => refuse(reply.header('allow', [...allowed, 'OPTIONS'].join(', ')), 405)
  app.route({
    // OPTIONS is handled by CORS.
    method: app.supportedMethods.filter((method) => method !== 'OPTIONS' && !allowed.includes(method)),
    url,
    schema: { hide: true },
    onRequest: async (_request, reply) => refuseMethod(reply),
    handler: (_request, reply) => refuseMethod(reply),
  })
}

/** Seconds after which a client that was refused for lack of capacity may retry. */
const RETRY_AFTER = '2'

/** 503 with `retry-after`: the server is full, or `reason`. */
export const refuseForNow = (reply: FastifyReply, reason?: string): FastifyReply =>
  refuse(reply.header('retry-after', RETRY_AFTER), 503, reason)
