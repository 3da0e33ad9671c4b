import { FirnError } from '../../errors.ts'

/** A block that cannot be understood. The stream stands before it: nothing is skipped. */
export class StreamBlockedError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STREAM_BLOCKED', status: 503, cause })
  }
}

/** What is stored is of another chain than that of the nodes: nothing of theirs may be written behind it. */
export class OtherChainError extends StreamBlockedError {}
