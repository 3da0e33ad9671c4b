/**
 * `/ext/auth` in the dialect of a node: its methods, and the texts with which a token's JSON is refused. The rules about
 * passwords and tokens live in `services/access-tokens`.
 */
export { createAuthService } from './auth-service.ts'
export { tokenJson } from './token-json.ts'
