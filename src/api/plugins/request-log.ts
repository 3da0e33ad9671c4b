import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createRateLimitedLog } from '../../lib/logging/rate-limited-log.ts'
import { createRequestLogger } from './request-logger.ts'

const SANE = /^[A-Za-z0-9._:-]{1,64}$/

/** The caller's request id is used when it is safe in a log line; otherwise a new one is made. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID()
}

const reasons = new WeakMap<FastifyReply, string>()

/** What an answer with 5xx says to its caller, for its line in the log. */
export const noteReason = (reply: FastifyReply, reason: string): void => void reasons.set(reply, reason)

/**
 * One line per answer at debug, without body, query or headers: those may carry credentials. Fastify's own two lines
 * per request cost a fifth of the throughput. 5xx are at warn, one a second for each path and status: while a part does
 * not work, strangers could otherwise fill the log by asking for it.
 */
export function installRequestLog(app: FastifyInstance, isDebugging: () => boolean): void {
  app.setChildLoggerFactory(createRequestLogger)
  const rateLimited = createRateLimitedLog()
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    done()
    const failed = reply.statusCode >= 500
    if (!failed && !isDebugging()) return
    const fields = {
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    let isWritten = false
    if (failed)
      rateLimited(`${request.method} ${request.routeOptions.url} ${reply.statusCode}`, (others) => {
        const reason = reasons.get(reply)
        request.log.warn({ ...fields, ...(reason ? { reason } : {}), ...others }, 'answered with a server error')
        isWritten = true
      })
    if (!isWritten) request.log.debug(fields, 'answered')
  })
}
