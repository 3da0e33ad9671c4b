/** Human-readable prefixes that addresses may carry at present. */
export type Prefixes = () => readonly string[]

/**
 * Makes something for the present prefixes, and anew when they have changed: networks of unknown identity are found
 * while the server runs, and with them the prefix of their addresses.
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
