import { FirnError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

interface Said {
  atMs: number
  /** Failed reads since then that got no line. */
  others: number
}

export interface FailureLogDeps {
  logger?: { warn(fields: object, message: string): void } | undefined
  /** Milliseconds; for tests. */
  now?: () => number
}

/** A chain that is away fails thousands of reads a second, and one line tells as much as all of them. */
const LINE_EVERY_MS = 1_000

/**
 * Failed chain reads in the log: at most one line a second for each chain, with the number of those in between (metrics
 * count all). Accounts of one read share their error object and its line; what is the caller's own fault has none.
 */
export function createFailureLog({ logger, now = steadyNow }: FailureLogDeps): (caip2Id: string, error: Error) => void {
  const reported = new WeakSet<Error>()
  const chains = new Map<string, Said>()
  return (caip2Id, error) => {
    if (!logger || reported.has(error) || (error instanceof FirnError && error.expose)) return
    reported.add(error)
    const said = chains.get(caip2Id)
    // An error that nobody foresaw is a fault of this server: each counts.
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
