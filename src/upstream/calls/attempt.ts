import type { Cancel } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** One upstream that is being asked for a read. */
export interface Attempt {
  upstream: Upstream
  /** When it was asked, of `performance.now()`. */
  since: number
  cancel: Cancel | undefined
  ended: boolean
}

/** Its upstream is known not to answer. */
const isAway = ({ ended, upstream }: Attempt): boolean => ended || upstream.breaker.state() !== 'closed'

/**
 * Whether none of these is likely to answer.
 * @param again they were asked a while ago: then it also counts that an upstream has answered nothing since, though others
 * answered what it was asked. Its breaker does not show that while one read of a batch waits there.
 */
export const areUnlikelyToAnswer = (attempts: readonly Attempt[], again: boolean): boolean =>
  attempts.every((attempt) => isAway(attempt) || (again && attempt.upstream.silentSince(attempt.since)))
