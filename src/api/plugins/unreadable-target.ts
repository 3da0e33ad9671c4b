import type { ServerResponse } from 'node:http'

/**
 * Whether a target that cannot be decoded was meant for an API under /v1, which speaks JSON whatever happens. The indexed
 * one may stand behind a prefix; what nodes answer is below /ext.
 */
export const isMeantForApi = (target: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?]*)?(?!\/+ext\/)(?:\/[^?]*)?\/v1\//i.test(target)

/** 400 for a target that cannot be decoded, in the form of the API that was asked; the connection ends with it. */
export function refuseUnreadableTarget(response: ServerResponse, target: string): void {
  const message = 'the path cannot be decoded'
  const balance = /\/v1\/(balance|stake)\//.test(target)
  const body = JSON.stringify(balance ? { message: 'BAD_REQUEST' } : { message, error: 'Bad Request', statusCode: 400 })
  response.writeHead(400, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    // A page has to see what was wrong.
    'access-control-allow-origin': '*',
    connection: 'close',
  })
  response.end(body)
}
