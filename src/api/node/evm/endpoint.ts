import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NodeAnswer } from '../http/answer.ts'
import type { Endpoint } from '../routes/endpoint.ts'

/** One POST to an EVM endpoint whose HTTP side is in order; the body is neither empty nor too large. */
export interface EvmRequest {
  endpoint: Endpoint
  /** Yours until the answer is there: large bodies share memory with later ones, so copy what is to be kept longer. */
  body: Buffer
  contentType: string | undefined
  contentEncoding: string | undefined
  /** Fires when the client has left. */
  signal: AbortSignal
}

/**
 * The seam for everything that is special about EVM endpoints: batches, filters, subscriptions. The node API hands over
 * whole bodies and upgrade requests whose host, route and access have been checked.
 */
export interface EvmApi {
  /** @throws FirnError when no node answers (the node API writes it in the dialect). */
  answer(request: EvmRequest): Promise<NodeAnswer>
  /**
   * Takes over a WebSocket to a `ws` endpoint, or returns why not; left out, such requests are answered with 501.
   * @param over fires when its access is over: it says goodbye, and is cut soon after
   */
  upgrade?(
    endpoint: Endpoint,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    over?: AbortSignal,
  ): NodeAnswer | undefined
}
