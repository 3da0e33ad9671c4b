/** Human-readable prefixes that addresses may currently have. */
export type Prefixes = () => readonly string[]

/**
 * Builds a value for the current prefixes and rebuilds it when they change: networks of unknown identity, and with them
 * the prefix of their addresses, are discovered while the server runs.
 */
export function byPrefixes<T>(prefixes: Prefixes, make: (prefixes: readonly string[]) => T): () => T {
  let made: { of: string; value: T } | undefined
  return () => {
    const now = prefixes()
    const of = now.join()
    if (made?.of !== of) made = { of, value: make(now) }
    return made.value
  }
}
