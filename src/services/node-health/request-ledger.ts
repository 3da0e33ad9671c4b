import { formatGoDuration } from '../../lib/json/go-time.ts'
import { TransientMap } from '../../lib/transient-map.ts'
import { APPLICATION_TAG, type HealthCheck } from './health-check.ts'

/** Counts the requests in progress. */
export interface RequestLedger {
  /** A request starts; call the returned function when it is answered or aborted. */
  begin(): () => void
  /** The `router` check: how many requests are in progress, and for how long the oldest of them. Never fails. */
  readonly check: HealthCheck
}

export function createRequestLedger(): RequestLedger {
  // Insertion order is the order of arrival: the first entry is the oldest request.
  const running = new TransientMap<{ since: bigint }, true>()
  return {
    begin: () => {
      const entry = { since: process.hrtime.bigint() }
      running.set(entry, true)
      return () => running.delete(entry)
    },
    check: {
      name: 'router',
      tags: () => [APPLICATION_TAG],
      run: () => {
        const [oldest] = running.keys()
        const longest = oldest === undefined ? 0n : process.hrtime.bigint() - oldest.since
        return { longestRunningRequest: formatGoDuration(longest), outstandingRequests: running.size }
      },
    },
  }
}
