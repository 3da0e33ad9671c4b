import { goJson } from '../../lib/go-json.ts'
import type { AccessTokens } from '../../services/access-tokens/index.ts'
import type { AccessGuard, NodeAnswer } from './index.ts'

export type TokenCheck = Pick<AccessTokens, 'problem' | 'isCurrent'>

const EMPTY = Buffer.alloc(0)
const SCHEME = 'Bearer '

/** A node's guard always answers to id 1, and names no data. */
const refusal = (status: number, message: string): NodeAnswer => ({
  status,
  contentType: 'application/json',
  body: Buffer.from(`{"jsonrpc":"2.0","error":{"code":-32600,"message":${goJson(message)}},"id":1}\n`),
})

/**
 * Whether all who read this target see the same path. Under /ext routes are found by the decoded path, which is the one
 * that is granted; elsewhere an escaped slash is no separator, and what follows a `#` is ignored.
 */
const isPlain = (path: string, target: string): boolean =>
  !path.includes('#') && (path.startsWith('/ext/') || !/^[^?]*%2f/i.test(target))

/**
 * Lets in who has a token for the path, as the last nodes with an auth API did: every path needs one,
 * what is not served too. The front door exempts `/ext/auth` and preflights.
 *
 * @param closing true once the server is about to end: who has no token is told so, as a balancer's check has none, and
 *   takes the word that it needs one for a sign of life
 */
export function createAccessGuard(tokens: TokenCheck, closing: () => boolean = () => false): AccessGuard {
  return ({ path, target, authorization }) => {
    // Go's server answers `OPTIONS *` before any handler.
    if (path === '*') return { status: 200, body: EMPTY }
    if (!tokens.isCurrent()) return refusal(503, 'access tokens cannot be checked at the moment')
    if (authorization === undefined || authorization === '')
      return closing() ? refusal(503, 'server shutting down') : refusal(401, 'auth token not provided')
    if (!authorization.startsWith(SCHEME))
      return refusal(401, `couldn't parse auth token. Header "Authorization" should be "${SCHEME}TOKEN.GOES.HERE"`)
    const problem = tokens.problem(authorization.slice(SCHEME.length), path, isPlain(path, target))
    return problem === undefined ? undefined : refusal(401, problem)
  }
}
