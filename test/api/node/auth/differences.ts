/** Recorded conversations about tokens to which Firn on purpose answers otherwise than the node did. */
export interface AuthDifference {
  lines: RegExp
  what: string
  reason: string
  /** Our body there; undefined = anything but 401. */
  body: string | undefined
}

const refused = (message: string) => `{"jsonrpc":"2.0","error":{"code":-32600,"message":"${message}"},"id":1}\n`
const NOT_GRANTED = refused('the provided auth token does not allow access to this endpoint')
const NO_TOKEN = refused('auth token not provided')

export const authDifferences: readonly AuthDifference[] = [
  {
    lines: /^auth\/newToken\/(endpoints-null-element|grant-empty-string)$/,
    what: 'auth.newToken with an empty endpoint: `must name at least one endpoint`.',
    reason: 'An empty text is the end of every path: the token would open everything without saying `*`.',
    body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"must name at least one endpoint","data":null},"id":1}\n',
  },
  {
    lines: /^call\/grant-empty-string\//,
    what: 'A call with a token of a node for an empty endpoint: 401.',
    reason: 'As above: no token has one here.',
    body: NOT_GRANTED,
  },
  {
    lines: /^call\/(token\/(no-jti|endpoints-other-case-field|exp-(null|missing))|revoke\/other-no-jti-token)$/,
    what: 'Tokens without `jti` or `exp`: 401.',
    reason: 'They could not be revoked one by one, or would live for ever. No node makes such tokens.',
    body: NOT_GRANTED,
  },
  {
    lines:
      /^auth\/(revokeToken\/(garbage-.*|with-bearer-prefix|tampered-.*|expired|alg-none|old-token-after-change)|after-restart\/revoke-old-token)$/,
    what: 'auth.revokeToken with an invalid token: an empty result instead of an error.',
    reason: 'Explicit rule of the specification: it does nothing.',
    body: '{"jsonrpc":"2.0","result":{},"id":1}\n',
  },
  {
    lines:
      /^call\/path-no-token\/(\/ext\/auth\/{1,2}|\/ext\/\/auth|\/\/ext\/auth|\/ext\/(\.|auth\/\.\.|info\/\.\.|info|info%2F|info;|nope|health|metrics|auth)\/?auth\/?|\/ext\/auth%2f|\/auth|\/foo\/auth)$/i,
    what: 'Paths other than /ext/auth whose last part is `auth`: 401 without a token.',
    reason: 'With an alias such a path could be any endpoint.',
    body: NO_TOKEN,
  },
  {
    lines: /^call\/alias-trick\//,
    what: 'Aliases that end in `auth` are refused.',
    reason: 'On a node they open an endpoint to everybody.',
    body: NO_TOKEN,
  },
  {
    lines: /preflight$/i,
    what: "Browsers' preflights are answered without a token.",
    reason: 'A browser cannot send a token with them.',
    body: undefined,
  },
  {
    lines: /^call\/after-restart\/old-star-token$/,
    what: 'Tokens are good after a restart.',
    reason: 'Several processes share them, and a restart is no reason to log everybody out.',
    body: undefined,
  },
]
