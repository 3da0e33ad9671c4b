import { steadyNow } from '../steady-clock.ts'

/**
 * Writes at most one line of each kind in a time, a second if not told otherwise. `write` gets `others`, the number of
 * lines of this kind that were left out since the one before; without that member there were none.
 */
export type RateLimitedLog = (kind: string, write: (others: { others?: number }) => void) => void

interface Said {
  atMs: number
  others: number
}

/** What fails for one caller fails for thousands a second, and one line says as much as all of them: metrics count. */
const LINE_EVERY_MS = 1_000

/** Some kinds have parts that strangers choose. Beyond this many, all further ones are one kind. */
const MOST_KINDS = 256
const REST = ''

/**
 * @param now milliseconds; for tests
 * @param everyMs time from one line of a kind to the next
 */
export function createRateLimitedLog(now: () => number = steadyNow, everyMs = LINE_EVERY_MS): RateLimitedLog {
  const kinds = new Map<string, Said>()
  return (kind, write) => {
    const key = kinds.has(kind) || kinds.size < MOST_KINDS ? kind : REST
    const said = kinds.get(key)
    if (said && now() - said.atMs < everyMs) {
      said.others += 1
      return
    }
    kinds.set(key, { atMs: now(), others: 0 })
    write(said?.others ? { others: said.others } : {})
  }
}
