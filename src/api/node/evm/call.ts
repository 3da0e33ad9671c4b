import type { Endpoint } from '../routes/endpoint.ts'
import type { EvmMessage } from './message.ts'

/** One JSON-RPC call on its way to a node. */
export interface EvmCall {
  endpoint: Endpoint
  message: EvmMessage
  /** The bytes that a node gets. */
  body: Buffer
  contentType: string | undefined
  signal: AbortSignal
}

/** A request's time over all attempts, milliseconds; a node gives itself as long to write an answer. */
export const CALL_MS = 30_000
/** Answers to larger calls are neither shared nor kept, and their bodies not checked here, bytes. */
export const MAX_SHARED_BODY = 65_536
