/**
 * Access tokens control who may call this server. Passwords, tokens and revocations work as in the last nodes with an
 * auth API; no HTTP and no SQL.
 */
export { AccessTokenError } from './access-token-error.ts'
export { type AccessTokens, type AccessTokensDeps, createAccessTokens } from './access-tokens.ts'
export type { Claims, TokenJson } from './token.ts'
