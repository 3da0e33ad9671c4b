import { FirnError } from '../../errors.ts'

/** Timeout for the nodes' answers, milliseconds. */
export const NODES_MS = 8_000

/** Nothing answers what only nodes know. */
class NodesSilentError extends FirnError {
  constructor(what: string, cause: unknown) {
    super(`${what} is told by nodes, and none of them answers now`, {
      code: 'NODES_SILENT',
      status: 503,
      retryable: true,
      expose: true,
      cause,
    })
  }
}

/** For `catch`: reports a failure of nodes as one of this answer. @param what as the message names it */
export const silentAbout =
  (what: string) =>
  (cause: unknown): never => {
    throw cause instanceof FirnError ? new NodesSilentError(what, cause) : cause
  }
