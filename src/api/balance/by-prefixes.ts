import type { Issue } from './issues.ts'

/** Human-readable prefixes that addresses may currently have. */
export type Prefixes = () => readonly string[]

export interface KnownPrefixes {
  hrps: Prefixes
  /** Whether a network has not told its prefix yet. Left out: all are known. */
  hrpsToCome?: () => boolean
}

/** Stands for the prefix that a network has not told yet. */
const ANY_PREFIX = '[0-9a-z]+'

/** What is told of a body with an address that may be right once all prefixes are known. */
export const UNKNOWN_PREFIX = 'the prefix of the addresses of a network is not known yet'

/** `isEarly`: nothing is wrong with it if its prefix is the one to come. */
export type Refused = { ok: false; issues: readonly Issue[]; isEarly?: boolean }
type Checked = { ok: true } | Refused

/**
 * Builds a value for the current prefixes and rebuilds it when they change: networks of unknown identity, and with them
 * the prefix of their addresses, are discovered while the server runs.
 */
function byPrefixes<T>(prefixes: Prefixes, make: (prefixes: readonly string[]) => T): () => T {
  let made: { of: string; value: T } | undefined
  return () => {
    const now = prefixes()
    const of = now.join()
    if (made?.of !== of) made = { of, value: make(now) }
    return made.value
  }
}

/** A check of bodies by the prefixes that are known when it is called. */
export function checkByPrefixes<T extends Checked>(
  { hrps, hrpsToCome = () => false }: KnownPrefixes,
  make: (prefixes: readonly string[]) => (body: unknown) => T,
): (body: unknown) => T | Refused {
  const now = byPrefixes(hrps, make)
  const anyway = byPrefixes(() => [ANY_PREFIX], make)
  return (body) => {
    const checked = now()(body)
    if (checked.ok || !hrpsToCome()) return checked
    return { ok: false, issues: checked.issues, isEarly: anyway()(body).ok }
  }
}
