import type { NodeAnswer } from './http/answer.ts'

/** What the guard sees: it runs before everything else, including CORS and the host check. */
export interface AccessRequest {
  /** Decoded path without the query, of any API of this server. */
  path: string
  /** As received. */
  target: string
  /** First `Authorization` header. */
  authorization: string | undefined
}

/** Undefined lets the request in; an answer is sent unchanged, without any headers but its own (like the node's 401). */
export type AccessGuard = (request: AccessRequest) => NodeAnswer | undefined
