import { FirnError } from '../../errors.ts'

/** A block that cannot be understood. The stream stops before it: nothing is skipped. */
export class StreamBlockedError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STREAM_BLOCKED', status: 503, cause })
  }
}

/** The stored chain is not the nodes' chain: none of their blocks may be written after it. */
export class OtherChainError extends StreamBlockedError {}
