import type { RawRequest } from '../../../upstream/index.ts'
import { forwardHeaders } from '../forward/call.ts'
import type { Endpoint } from '../routes/endpoint.ts'
import type { EvmMessage } from './message.ts'

/** One JSON-RPC call on its way to a node. */
export interface EvmCall {
  endpoint: Endpoint
  message: EvmMessage
  /** The bytes that are sent to a node. */
  body: Buffer
  contentType: string | undefined
  signal: AbortSignal
  /** By when the answer must be there, over all attempts at all nodes; milliseconds of `Date.now()`. */
  deadline: number
}

/** The same bytes for a node. @param path of the endpoint there */
export const evmRequest = ({ body, contentType }: Pick<EvmCall, 'body' | 'contentType'>, path: string): RawRequest => ({
  method: 'POST',
  path,
  headers: forwardHeaders({ contentType, contentEncoding: undefined }),
  body,
})

/** Time of a call over all attempts, milliseconds; a node allows itself as long to write an answer. */
export const CALL_MS = 30_000
/** Larger calls (bytes) are not validated here, and their answers are neither shared nor cached. */
export const MAX_SHARED_BODY = 65_536
