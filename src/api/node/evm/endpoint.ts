import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NodeAnswer } from '../http/answer.ts'
import type { Endpoint } from '../routes/endpoint.ts'

/**
 * One POST to an EVM endpoint that has passed the HTTP checks; the body is neither empty nor too large. Like a node,
 * nobody looks at its Content-Encoding: a compressed body is no JSON, and a plain one is read whatever its header says.
 */
export interface EvmRequest {
  endpoint: Endpoint
  /** Valid until the request is answered: large bodies share memory with later ones, so copy what must live longer. */
  body: Buffer
  contentType: string | undefined
  /** Fires when the client disconnects. */
  signal: AbortSignal
}

/**
 * The interface for everything specific to EVM endpoints: batches, filters, subscriptions. The node API passes on whole
 * bodies and upgrade requests whose host, route and access have been checked.
 */
export interface EvmApi {
  /** @throws FirnError when no node answers (the node API writes it in the dialect). */
  answer(request: EvmRequest): Promise<NodeAnswer>
  /**
   * Takes over a WebSocket to a `ws` endpoint, or returns why not; if left out, such requests are answered with 501.
   * @param over fires when its access ends: the socket is closed properly, and cut soon after
   */
  upgrade?(
    endpoint: Endpoint,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    over?: AbortSignal,
  ): NodeAnswer | undefined
}
