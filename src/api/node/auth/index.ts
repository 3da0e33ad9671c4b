/**
 * `/ext/auth` in the dialect of a node: its methods, and the error texts for a token's JSON. The rules of passwords and
 * tokens are in `services/access-tokens`.
 */
export { createAuthService } from './auth-service.ts'
export { tokenJson } from './token-json.ts'
