import type { NodeAnswer } from '../http/answer.ts'
import type { Endpoint } from '../routes/endpoint.ts'

/** A request to an endpoint that speaks plain HTTP (health by GET, metrics, a document). */
export interface HttpCall {
  endpoint: Endpoint
  method: string
  query: URLSearchParams
  /** First value, name in lower case. */
  header(name: string): string | undefined
  signal: AbortSignal
}

/** An endpoint under /ext that is answered here and is not JSON-RPC. */
export interface LocalEndpoint {
  /** Canonical name: the path without /ext/, such as `health/readiness`, `openrpc.json`. */
  endpoint: string
  /** Undefined = not for this request, which is handled like any other (POST to `health` is JSON-RPC). */
  answer(call: HttpCall): NodeAnswer | undefined | Promise<NodeAnswer | undefined>
  /** True = not served on a public deployment. */
  private?: boolean
}
