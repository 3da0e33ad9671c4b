import { LRUCache } from 'lru-cache'
import { UpstreamRateLimitedError } from '../../errors.ts'
import { roomFor } from '../../lib/room-for.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

/** Prevents many tokens of one collection from overloading their one host. */
export interface HostTurns {
  /**
   * Runs the work when the host has a free slot. A host that reported a rate limit is left alone until the time it
   * named; until then this rejects with UpstreamRateLimitedError. `first`: before all waiters without it.
   */
  run<T>(host: string, work: () => Promise<T>, first?: boolean): Promise<T>
}

interface HostState {
  busy: number
  /** Waiters with priority, and the others. */
  waiting: { first: (() => void)[]; others: (() => void)[] }
}

const QUIET_MS = 30_000
/** Rate-limited hosts, perhaps for a day; callers can make up host names. An evicted host is asked again. */
const REMEMBERED = 10_000

export function createHostTurns(perHost: number, now: () => number = steadyNow): HostTurns {
  /** Hosts with running work. */
  const hosts = new Map<string, HostState>()
  const quietUntilMs = new LRUCache<string, number>(roomFor(REMEMBERED))
  const stateOf = (host: string): HostState => {
    const known = hosts.get(host) ?? { busy: 0, waiting: { first: [], others: [] } }
    hosts.set(host, known)
    return known
  }
  /**
   * The host that reported it, not the one that redirected there: anyone can make public gateways redirect to a host of
   * their own.
   */
  const leaveAlone = (host: string, ms = QUIET_MS): void =>
    void quietUntilMs.set(host, Math.max(quietUntilMs.get(host) ?? 0, now() + ms))
  const leave = (host: string, state: HostState): void => {
    const next = state.waiting.first.shift() ?? state.waiting.others.shift()
    if (next) {
      next()
      return
    }
    state.busy -= 1
    if (state.busy === 0) hosts.delete(host)
  }
  return {
    async run(host, work, first = false) {
      const state = stateOf(host)
      const line = first ? state.waiting.first : state.waiting.others
      if (state.busy >= perHost) await new Promise<void>((resolve) => line.push(resolve))
      else state.busy += 1
      try {
        const quietMs = (quietUntilMs.get(host) ?? 0) - now()
        if (quietMs > 0) throw new UpstreamRateLimitedError(`${host}: rate limited`, quietMs)
        return await work()
      } catch (error) {
        if (error instanceof UpstreamRateLimitedError) leaveAlone(error.host ?? host, error.retryAfterMs)
        throw error
      } finally {
        leave(host, state)
      }
    },
  }
}
