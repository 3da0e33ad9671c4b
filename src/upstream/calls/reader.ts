import type { Reporter } from '../events.ts'
import type { HeadWatch } from '../health/head-probe.ts'
import type { IdentityGuard } from '../health/identity.ts'
import type { CallOptions } from '../types.ts'
import type { Flights } from './flights.ts'
import type { Runner, Task } from './read-run.ts'
import type { TtlCache } from './ttl-cache.ts'

/**
 * Answers a question from the cache, by joining a flight, or by a new run over the upstreams.
 * `key` undefined = neither cached nor shared.
 */
export type Read = <T>(
  key: string | undefined,
  label: string,
  options: CallOptions,
  launch: Task<T>['launch'],
) => Promise<T>

export interface ReaderDeps {
  pool: string
  runner: Runner
  flights: Flights
  cache: TtlCache
  watch: HeadWatch | undefined
  guard: IdentityGuard | undefined
  reporter: Reporter
}

export const createReader = ({ pool, runner, flights, cache, watch, guard, reporter }: ReaderDeps): Read => {
  return <T>(key: string | undefined, label: string, options: CallOptions, ask: Task<T>['launch']): Promise<T> => {
    const launch = guard ? guard.guarded(ask) : ask
    const now = Date.now()
    watch?.touch()
    if (key !== undefined && options.cacheMs) {
      const hit = cache.get(key, options.cacheMs, now)
      if (hit && !options.signal?.aborted) {
        if (reporter.active()) reporter.report({ kind: 'cache-hit', pool, method: label })
        return Promise.resolve(hit.value as T)
      }
    }
    return flights.join<T>(
      key,
      options,
      (flight, settle) => {
        const idempotent = options.idempotent !== false
        const { sameServer, avoid } = options
        const task: Task<T> = { label, idempotent, deadline: () => flight.deadline, launch }
        if (sameServer) task.sameServer = sameServer
        if (avoid) task.avoid = avoid
        return runner<T>(task, (outcome) => {
          if (outcome.kind === 'answer' && key !== undefined && flight.cacheMs > 0)
            cache.set(key, outcome.value, outcome.bytes, Date.now())
          settle(outcome)
        })
      },
      () => {
        if (reporter.active()) reporter.report({ kind: 'shared', pool, method: label })
      },
    )
  }
}
