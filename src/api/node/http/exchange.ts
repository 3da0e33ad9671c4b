import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint } from '../routes/endpoint.ts'
import type { NodeAnswer } from './answer.ts'
import type { RequestTarget } from './target.ts'

/** One request on its way through the node API. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: RequestTarget
  readonly endpoint: Endpoint
  /** Writes the answer with the headers that every answer has. */
  send(answer: NodeAnswer): void
  /** Aborts when the client disconnects before its answer is sent. */
  signal(): AbortSignal
}

/** First value of a header. */
export const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
