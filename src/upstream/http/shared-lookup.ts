import { type LookupOptions, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** A lookup that has not been answered for this long is not joined any more, milliseconds: its question may be lost. */
const JOINED_MS = 1_000
/**
 * With this many lookups under way no name is asked for twice. It is half of what the system looks up at once with
 * `UV_THREADPOOL_SIZE=128` (`npm start`, the image): the other half is left to names not asked for yet.
 */
const ASKED_TWICE = 32

type Tell = Parameters<LookupFunction>[2]

/**
 * Looks names up for connections to upstreams, as the system does: hosts file, search domains, name servers. Whoever
 * connects while the name is being looked up gets the same answer. Where name servers are silent, each lookup takes ten
 * seconds or more of one of the few places that the process has for them; without this, connection attempts to a few
 * such names would take all places, and no other upstream with a name could be connected to, `localhost` included.
 *
 * @param ask default: the system's resolver
 * @param now a clock in milliseconds
 */
export function createSharedLookup(
  ask: (host: string, options: LookupOptions, tell: Tell) => void = lookup,
  now = (): number => performance.now(),
): LookupFunction {
  const latest = new Map<string, { since: number; waiting: Tell[] }>()
  let running = 0
  return (host, options, tell) => {
    const key = [host, options.family, options.all, options.hints].join(' ')
    const found = latest.get(key)
    if (found && (now() - found.since < JOINED_MS || running >= ASKED_TWICE)) {
      found.waiting.push(tell)
      return
    }
    const asked = { since: now(), waiting: [tell] }
    latest.set(key, asked)
    running += 1
    ask(host, options, (error, address, family) => {
      running -= 1
      if (latest.get(key) === asked) latest.delete(key)
      for (const one of asked.waiting) one(error, address, family)
    })
  }
}
