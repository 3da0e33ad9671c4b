import type { ServerResponse } from 'node:http'

/**
 * Whether a target that cannot be decoded was meant for an API under /v1, which always answers in JSON. The indexed API
 * may have a prefix; what nodes answer is below /ext.
 */
export const isMeantForApi = (target: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?]*)?(?!\/+ext\/)(?:\/[^?]*)?\/v1\//i.test(target)

/** 400 for a target that cannot be decoded, in the format of the requested API; the connection ends after it. */
export function refuseUnreadableTarget(response: ServerResponse, target: string): void {
  const message = 'the path cannot be decoded'
  const balance = /\/v1\/(balance|stake)\//.test(target)
  const body = JSON.stringify(balance ? { message: 'BAD_REQUEST' } : { message, error: 'Bad Request', statusCode: 400 })
  response.writeHead(400, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    // Web pages must be able to read what was wrong.
    'access-control-allow-origin': '*',
    connection: 'close',
  })
  response.end(body)
}
