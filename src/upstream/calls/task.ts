import type { Cancel, Settle } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** One question that any upstream of the pool may answer. */
export interface Task<T> {
  /** For events: the JSON-RPC or HTTP method. */
  label: string
  /** False = one attempt only, unless nothing was sent. */
  idempotent: boolean
  /** `CallOptions.sameServer`. */
  sameServer?: object
  /** `CallOptions.siblings`. */
  siblings?: object
  /** `CallOptions.avoid`. */
  avoid?: (host: string) => boolean
  /** Time by which the last waiting caller wants the answer. */
  deadline(): number
  launch(upstream: Upstream, hedge: boolean, settle: Settle<T>): Cancel
}
