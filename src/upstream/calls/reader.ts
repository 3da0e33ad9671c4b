import type { Reporter } from '../events.ts'
import type { HeadWatch } from '../health/head-probe.ts'
import type { IdentityGuard } from '../health/identity.ts'
import type { CallOptions } from '../types.ts'
import type { Flights } from './flights.ts'
import type { Runner } from './read-run.ts'
import type { Task } from './task.ts'

/** Answers a question by joining a flight with the same `key`, or by a new run over the upstreams; undefined = not shared. */
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
  watch: HeadWatch | undefined
  guard: IdentityGuard | undefined
  reporter: Reporter
}

export const createReader = ({ pool, runner, flights, watch, guard, reporter }: ReaderDeps): Read => {
  return <T>(key: string | undefined, label: string, options: CallOptions, ask: Task<T>['launch']): Promise<T> => {
    const launch = guard ? guard.guarded(ask) : ask
    watch?.touch()
    return flights.join<T>(
      key,
      options,
      (flight, settle) => {
        const idempotent = options.idempotent !== false
        const { sameServer, siblings, avoid } = options
        const task: Task<T> = { label, idempotent, deadline: () => flight.deadline, launch }
        if (sameServer) task.sameServer = sameServer
        if (siblings) task.siblings = siblings
        if (avoid) task.avoid = avoid
        return runner<T>(task, settle)
      },
      () => {
        if (reporter.active()) reporter.report({ kind: 'shared', pool, method: label })
      },
    )
  }
}
