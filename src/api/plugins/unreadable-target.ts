import type { ServerResponse } from 'node:http'
import type { PageOrigins } from './page-origins.ts'
import { refusalBody } from './refusal-body.ts'

/**
 * Whether a path that reaches no API was meant for one under /v1, which always answers in JSON. The indexed API may have
 * a prefix; what nodes answer is below /ext.
 */
export const isMeantForApi = (target: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?]*)?(?!\/+ext\/)(?:\/[^?]*)?\/v1\//i.test(target)

/** 400 for a target that cannot be decoded, in the format of the requested API; the connection ends after it. */
export function refuseUnreadableTarget(response: ServerResponse, target: string, pages: PageOrigins): void {
  const body = refusalBody(target, 400, 'the path cannot be decoded')
  response.writeHead(400, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    // Web pages must be able to read what was wrong.
    ...pages(response.req),
    connection: 'close',
  })
  response.end(body)
}
