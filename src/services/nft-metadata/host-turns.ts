import { UpstreamRateLimitedError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

/** Keeps many tokens of one collection from falling upon their one host. */
export interface HostTurns {
  /**
   * Runs the work when the host has a free turn. A host that said it was asked too often is left alone until the time
   * it named; until then this rejects with UpstreamRateLimitedError. `first`: before all who wait and are not.
   */
  run<T>(host: string, work: () => Promise<T>, first?: boolean): Promise<T>
}

interface HostState {
  busy: number
  /** Those who go first, and the others. */
  waiting: { first: (() => void)[]; others: (() => void)[] }
  quietUntilMs: number
}

const QUIET_MS = 30_000

/** Hosts without work and without a ban are forgotten, so memory is bound by what runs. */
export function createHostTurns(perHost: number, now: () => number = steadyNow): HostTurns {
  const hosts = new Map<string, HostState>()
  const stateOf = (host: string): HostState => {
    const known = hosts.get(host) ?? { busy: 0, waiting: { first: [], others: [] }, quietUntilMs: 0 }
    hosts.set(host, known)
    return known
  }
  const sweep = (): void => {
    for (const [host, { busy, quietUntilMs }] of hosts) if (busy === 0 && quietUntilMs <= now()) hosts.delete(host)
  }
  const leave = (state: HostState): void => {
    const next = state.waiting.first.shift() ?? state.waiting.others.shift()
    if (next) next()
    else state.busy -= 1
    sweep()
  }
  return {
    async run(host, work, first = false) {
      const state = stateOf(host)
      const line = first ? state.waiting.first : state.waiting.others
      if (state.busy >= perHost) await new Promise<void>((resolve) => line.push(resolve))
      else state.busy += 1
      try {
        const quietMs = state.quietUntilMs - now()
        if (quietMs > 0) throw new UpstreamRateLimitedError(`${host}: asked too often`, quietMs)
        return await work()
      } catch (error) {
        if (error instanceof UpstreamRateLimitedError)
          state.quietUntilMs = Math.max(state.quietUntilMs, now() + (error.retryAfterMs ?? QUIET_MS))
        throw error
      } finally {
        leave(state)
      }
    },
  }
}
