import { BadInputError, FirnError, OverloadedError } from '../../errors.ts'
import { createRateLimitedLog } from '../../lib/logging/rate-limited-log.ts'

export interface FailureLogDeps {
  logger?: { warn(fields: object, message: string): void } | undefined
  /** Milliseconds; for tests. */
  now?: () => number
}

/**
 * Logs failed chain reads: at most one line a second for each chain, with the number of those in between (metrics count
 * all). Accounts of one read share their error object and its line. Errors of the caller are not logged, nor what this
 * process turns away because it is full: that is only counted, as everywhere.
 */
export function createFailureLog({ logger, now }: FailureLogDeps): (caip2Id: string, error: Error) => void {
  const reported = new WeakSet<Error>()
  const rateLimited = createRateLimitedLog(now)
  return (caip2Id, error) => {
    if (!logger || reported.has(error) || error instanceof BadInputError || isFull(error)) return
    reported.add(error)
    const write = (others: object): void =>
      logger.warn({ chain: caip2Id, ...others, err: error }, 'balances could not be read')
    // An unexpected error is a fault of this server: each one is logged.
    if (error instanceof FirnError) rateLimited(caip2Id, write)
    else write({})
  }
}

/** An upstream that has no room for a call names itself. */
const isFull = (error: Error): boolean => error instanceof OverloadedError && error.cause === undefined
