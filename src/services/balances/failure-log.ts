import { BadInputError, FirnError } from '../../errors.ts'
import { createRateLimitedLog } from '../../lib/logging/rate-limited-log.ts'

export interface FailureLogDeps {
  logger?: { warn(fields: object, message: string): void } | undefined
  /** Milliseconds; for tests. */
  now?: () => number
}

/**
 * Logs failed chain reads: at most one line a second for each chain, with the number of those in between (metrics count
 * all). Accounts of one read share their error object and its line, as do all that there is no room for; errors of the
 * caller are not logged.
 */
export function createFailureLog({ logger, now }: FailureLogDeps): (caip2Id: string, error: Error) => void {
  const reported = new WeakSet<Error>()
  const rateLimited = createRateLimitedLog(now)
  return (caip2Id, error) => {
    if (!logger || reported.has(error) || error instanceof BadInputError) return
    reported.add(error)
    const write = (others: object): void =>
      logger.warn({ chain: caip2Id, ...others, err: error }, 'balances could not be read')
    // An unexpected error is a fault of this server: each one is logged.
    if (error instanceof FirnError) rateLimited(caip2Id, write)
    else write({})
  }
}
