import type { Cancel } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** One upstream that is asked for a read. */
export interface Leg {
  upstream: Upstream
  /** When it was asked, of `performance.now()`. */
  since: number
  cancel: Cancel | undefined
  ended: boolean
}

/** Its upstream is known not to answer. */
const isAway = ({ ended, upstream }: Leg): boolean => ended || upstream.breaker.state() !== 'closed'

/**
 * Whether nobody of these is going to answer, as far as is known.
 * @param again they were asked a while ago: then that counts, too, that an upstream has answered nothing since, though
 * others answered what it was asked. While one read of a batch waits there, its breaker does not open.
 */
export const areAway = (legs: readonly Leg[], again: boolean): boolean =>
  legs.every((leg) => isAway(leg) || (again && leg.upstream.silentSince(leg.since)))
