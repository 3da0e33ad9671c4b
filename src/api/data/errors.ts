import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CancelledError, FirnError, OverloadedError } from '../../errors.ts'
import { createRateLimitedLog, type RateLimitedLog } from '../../lib/logging/rate-limited-log.ts'
import { isEncoded, NOT_JSON } from '../plugins/body-errors.ts'
import { noteReason } from '../plugins/request-log.ts'

interface Issue {
  instancePath: string
  keyword?: string
  message?: string
  params?: Record<string, unknown>
}

interface ThrownError extends Error {
  code?: string
  statusCode?: number
  validation?: Issue[]
  validationContext?: string
}

/** 4xx statuses that SDKs know; anything else that Fastify refuses (413, 415) is reported as a malformed request. */
const DECLARED = new Set([400, 401, 403, 404, 429])

/** Seconds after which a client may retry when a server behind this one was unavailable, slow or overloaded. */
const RETRY_AFTER = '1'

/**
 * The same for a lagging index, or data that no node provides now: chainkit waits that long and would otherwise ask
 * every second.
 */
const LATER = '5'

/**
 * The one error body of this API, for every status. SDKs throw on any other shape. Client text in it may be cut within
 * a surrogate pair, which many parsers reject.
 */
export function refuse(reply: FastifyReply, statusCode: number, message: string | string[]): FastifyReply {
  const told = typeof message === 'string' ? message.toWellFormed() : message.map((one) => one.toWellFormed())
  if (statusCode >= 500) noteReason(reply, String(told))
  return reply
    .code(statusCode)
    .type('application/json; charset=utf-8')
    .send({ message: told, error: STATUS_CODES[statusCode] ?? 'Error', statusCode })
}

/** Error handler of the indexed API. Details of unexpected errors never leave the server. */
export function installErrors(app: FastifyInstance): void {
  const rateLimited = createRateLimitedLog()
  app.setErrorHandler((error: ThrownError, request, reply) => {
    if (error.validation)
      return refuse(
        reply,
        400,
        withoutBranches(error.validation).map((issue) => describe(issue, error)),
      )
    // Thrown for a method without a route here, before the not-found handler is reached.
    if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') return notFound(request, reply)
    // If the client is gone, nobody reads the answer, and strangers must not fill the log by disconnecting.
    if (error instanceof CancelledError && reply.raw.closed) return reply.code(499).send()
    if (error instanceof FirnError) return refuseKnown(error, request, reply, rateLimited)
    if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') return refuseBody(request, reply)
    const status = error.statusCode ?? 500
    if (status >= 400 && status < 500) return refuse(reply, DECLARED.has(status) ? status : 400, error.message)
    request.log.error({ err: error }, 'unexpected failure')
    return refuse(reply, status === 503 ? 503 : 500, 'the server could not answer; it has written down why')
  })
}

const refuseBody = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  isEncoded(request)
    ? refuse(reply.header('accept-encoding', 'identity'), 400, 'compressed bodies are not read: send the JSON as it is')
    : refuse(reply, 400, NOT_JSON)

export const notFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  refuse(reply, 404, `Cannot ${request.method} ${request.url.split('?', 1)[0]}`)

function refuseKnown(
  error: FirnError,
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimited: RateLimitedLog,
): FastifyReply {
  if (error.expose) {
    if (error.status === 503 && error.retryable)
      reply.header('retry-after', error instanceof OverloadedError ? RETRY_AFTER : LATER)
    return refuse(reply, error.status, error.message)
  }
  rateLimited(`${request.routeOptions.url} ${error.name}`, (others) =>
    request.log.warn({ ...others, err: error }, 'an answer failed'),
  )
  // 499 and 504 are not statuses of this API.
  const status = error.status === 502 || error.status === 503 ? error.status : error.status === 504 ? 503 : 500
  return refuse(
    status === 503 ? reply.header('retry-after', RETRY_AFTER) : reply,
    status,
    status === 500 ? 'the server could not answer' : 'a server behind this one did not answer',
  )
}

/**
 * A value that may have several shapes fails once for each of them. Callers get the errors of the shape that they
 * meant, or else the list of shapes.
 */
function withoutBranches(issues: readonly Issue[]): Issue[] {
  const union = issues.find(({ keyword }) => keyword === 'anyOf')
  if (!union) return [...issues]
  const branches = issues.filter(
    ({ instancePath, keyword }) => keyword === 'type' && instancePath === union.instancePath,
  )
  const kinds = branches.map(({ params }) => params?.['type'])
  const inside = issues.filter(({ instancePath }) => instancePath.startsWith(`${union.instancePath}/`))
  const elsewhere = issues.filter((issue) => issue.instancePath !== union.instancePath && !inside.includes(issue))
  return [...elsewhere, ...(inside.length > 0 ? inside : [{ ...union, message: `must be ${kinds.join(' or ')}` }])]
}

function describe(issue: Issue, { validationContext }: ThrownError): string {
  const missing = issue.params?.['missingProperty']
  const allowed = issue.params?.['allowedValues']
  const path = issue.instancePath.slice(1).replaceAll('/', '.')
  const name = [path, typeof missing === 'string' ? missing : ''].filter((part) => part !== '').join('.')
  const subject = name === '' ? (validationContext ?? 'request') : name
  if (typeof missing === 'string') return `${subject} is required`
  if (Array.isArray(allowed)) return `${subject} must be one of the following values: ${allowed.join(', ')}`
  return `${subject} ${issue.message ?? 'is not valid'}`
}
