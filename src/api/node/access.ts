import type { NodeAnswer } from './http/answer.ts'

/** What the guard may look at: it stands before everything else, also before CORS and the host check. */
export interface AccessRequest {
  /** Decoded path without the query, of any API of this server. */
  path: string
  /** As sent. */
  target: string
  /** First `Authorization` header. */
  authorization: string | undefined
}

/** Undefined lets the request in; an answer is sent as it is, with no headers but its own (as the node's 401). */
export type AccessGuard = (request: AccessRequest) => NodeAnswer | undefined
