import { FirnError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

interface Said {
  atMs: number
  /** Failed reads since then that were not logged. */
  others: number
}

export interface FailureLogDeps {
  logger?: { warn(fields: object, message: string): void } | undefined
  /** Milliseconds; for tests. */
  now?: () => number
}

/** An unavailable chain fails thousands of reads a second, and one line says as much as all of them. */
const LINE_EVERY_MS = 1_000

/**
 * Logs failed chain reads: at most one line a second for each chain, with the number of those in between (metrics count
 * all). Accounts of one read share their error object and its line; errors of the caller are not logged.
 */
export function createFailureLog({ logger, now = steadyNow }: FailureLogDeps): (caip2Id: string, error: Error) => void {
  const reported = new WeakSet<Error>()
  const chains = new Map<string, Said>()
  return (caip2Id, error) => {
    if (!logger || reported.has(error) || (error instanceof FirnError && error.expose)) return
    reported.add(error)
    const said = chains.get(caip2Id)
    // An unexpected error is a fault of this server: each one is logged.
    const foreseen = error instanceof FirnError
    if (foreseen && said && now() - said.atMs < LINE_EVERY_MS) {
      said.others += 1
      return
    }
    const others = said?.others ? { others: said.others } : {}
    logger.warn({ chain: caip2Id, ...others, err: error }, 'balances could not be read')
    chains.set(caip2Id, { atMs: now(), others: 0 })
  }
}
