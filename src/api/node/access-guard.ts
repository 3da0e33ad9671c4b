import { goJson } from '../../lib/json/go-json.ts'
import type { AccessTokens } from '../../services/access-tokens/index.ts'
import { refusalBody } from '../plugins/refusal-body.ts'
import { isMeantForApi } from '../plugins/unreadable-target.ts'
import type { AccessGuard, NodeAnswer } from './index.ts'

export type TokenCheck = Pick<AccessTokens, 'problem' | 'isCurrent'>

const SCHEME = 'Bearer '

/** The front door lets web pages read that their token is no longer good; here, that they may retry. */
const FOR_PAGES = { 'access-control-expose-headers': 'retry-after' }
const RETRY = { 'retry-after': '1' }

/** A node's guard always answers with id 1 and without data; clients of the APIs under /v1 know only the errors of those. */
function refusal(path: string, status: 401 | 503, message: string): NodeAnswer {
  if (isMeantForApi(path))
    return {
      status,
      contentType: 'application/json; charset=utf-8',
      extra: { ...FOR_PAGES, ...(status === 503 ? RETRY : {}) },
      body: Buffer.from(refusalBody(path, status, message)),
    }
  return {
    status,
    contentType: 'application/json',
    body: Buffer.from(`{"jsonrpc":"2.0","error":{"code":-32600,"message":${goJson(message)}},"id":1}\n`),
  }
}

/**
 * Whether every reader of this target sees the same path. Routes under /ext are matched by the decoded path, which is
 * the path that tokens grant; elsewhere an escaped slash is not a separator, and what follows a `#` is ignored.
 */
const isPlain = (path: string, target: string): boolean =>
  !path.includes('#') && (path.startsWith('/ext/') || !/^[^?]*%2f/i.test(target))

/**
 * Lets in requests with a token for the path, like the last nodes with an auth API: every path needs one, even a path
 * that is not served. The front door exempts `/ext/auth` and preflights.
 *
 * @param closing true once the server is shutting down: a request without a token is then told so, because a balancer's
 * check has no token and takes the answer that one is needed for a sign of life
 */
export function createAccessGuard(tokens: TokenCheck, closing: () => boolean = () => false): AccessGuard {
  return ({ path, target, authorization }) => {
    if (!tokens.isCurrent()) return refusal(path, 503, 'access tokens cannot be checked at the moment')
    if (authorization === undefined || authorization === '')
      return closing() ? refusal(path, 503, 'server shutting down') : refusal(path, 401, 'auth token not provided')
    if (!authorization.startsWith(SCHEME))
      return refusal(
        path,
        401,
        `couldn't parse auth token. Header "Authorization" should be "${SCHEME}TOKEN.GOES.HERE"`,
      )
    const problem = tokens.problem(authorization.slice(SCHEME.length), path, isPlain(path, target))
    return problem === undefined ? undefined : refusal(path, 401, problem)
  }
}
