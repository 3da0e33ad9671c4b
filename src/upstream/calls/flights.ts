import { CancelledError, DeadlineError, UpstreamUnavailableError } from '../../errors.ts'
import { TransientMap } from '../../lib/transient-map.ts'
import { DEFAULT_CALL_MS } from '../defaults.ts'
import type { Outcome, Settle } from '../outcome.ts'
import type { CallOptions } from '../types.ts'
import { type AbortWatch, unwatchAbort, watchAbort } from './abort-hub.ts'
import { type Bagged, createBag } from './bag.ts'
import type { Run } from './read-run.ts'
import type { Scheduled, Scheduler } from './scheduler.ts'

/** One piece of work and everyone who waits for it. */
interface Flight {
  /** The latest deadline of the waiting callers. */
  deadline: number
}

interface Waiter extends AbortWatch {
  resolve(value: unknown): void
  reject(error: unknown): void
  signal: AbortSignal | undefined
  answeredBy: CallOptions['answeredBy']
  timer: Scheduled | undefined
}

interface OpenFlight extends Flight, Bagged {
  key: string | undefined
  waiters: Waiter[]
  run: Run | undefined
  settled: boolean
}

type Start<T> = (flight: Flight, settle: Settle<T>) => Run

/**
 * Joins identical reads in flight (singleflight, request coalescing). When the last waiter leaves, the work is
 * cancelled and its socket closed.
 */
export interface Flights {
  /** `key` undefined = never shared. */
  join<T>(key: string | undefined, options: CallOptions, start: Start<T>, onShared?: () => void): Promise<T>
  readonly size: number
  /** Rejects everyone and cancels all work. */
  close(): void
}

/** Whoever binds its call to one server, or avoids one, must not get what another server is being asked. */
export const mayJoin = ({ idempotent, fresh, sameServer, avoid }: CallOptions): boolean =>
  idempotent !== false && fresh !== true && sameServer === undefined && avoid === undefined

/** The caller has not left: the deadline of everything under this signal has passed. */
const isLate = (signal: AbortSignal | undefined): boolean => signal?.reason instanceof DeadlineError

export const createFlights = (pool: string, scheduler: Scheduler): Flights => {
  const shared = new TransientMap<string, OpenFlight>()
  const open = createBag<OpenFlight>()

  const release = (waiter: Waiter): void => {
    if (waiter.timer) scheduler.cancel(waiter.timer)
    if (waiter.signal) unwatchAbort(waiter.signal, waiter)
  }
  const land = (flight: OpenFlight): void => {
    flight.settled = true
    open.remove(flight)
    if (flight.key !== undefined) shared.delete(flight.key)
  }
  const settle = (flight: OpenFlight, outcome: Outcome<unknown>): void => {
    if (flight.settled) return
    land(flight)
    const { waiters } = flight
    flight.waiters = []
    for (const waiter of waiters) {
      release(waiter)
      if (outcome.kind === 'answer') {
        if (outcome.by) waiter.answeredBy?.(outcome.by)
        waiter.resolve(outcome.value)
      } else
        waiter.reject(outcome.kind === 'truth' ? outcome.error : new UpstreamUnavailableError(outcome.failure.reason))
    }
  }
  const leave = (flight: OpenFlight, waiter: Waiter, cause: 'left' | 'deadline'): void => {
    const place = flight.waiters.indexOf(waiter)
    if (place < 0) return
    flight.waiters.splice(place, 1)
    release(waiter)
    if (cause === 'left') waiter.reject(new CancelledError())
    else {
      const told = flight.run?.describe() ?? ''
      const late = new DeadlineError(`${pool}: no answer in time${told === '' ? '' : ` (${told})`}`)
      waiter.reject(flight.run?.whyLate() ?? late)
    }
    if (flight.waiters.length > 0 || flight.settled) return
    land(flight)
    flight.run?.cancel(cause)
  }
  const board = <T>(flight: OpenFlight, options: CallOptions, deadline: number): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const { signal } = options
      const waiter: Waiter = {
        resolve: resolve as (value: unknown) => void,
        reject,
        signal,
        answeredBy: options.answeredBy,
        slot: -1,
        onAbort: () => leave(flight, waiter, isLate(signal) ? 'deadline' : 'left'),
        timer: undefined,
      }
      flight.waiters.push(waiter)
      waiter.timer = scheduler.at(deadline, () => leave(flight, waiter, 'deadline'))
      if (signal) watchAbort(signal, waiter)
    })

  return {
    join: (key, options, start, onShared) => {
      const now = Date.now()
      const deadline = options.deadline ?? now + DEFAULT_CALL_MS
      const hasLeft = options.signal?.aborted === true
      if (deadline <= now || (hasLeft && isLate(options.signal)))
        return Promise.reject(new DeadlineError(`${pool}: the deadline had passed already`))
      if (hasLeft) return Promise.reject(new CancelledError())
      const running = key === undefined ? undefined : shared.get(key)
      if (running) {
        running.deadline = Math.max(running.deadline, deadline)
        onShared?.()
        return board(running, options, deadline)
      }
      const flight: OpenFlight = {
        key,
        deadline,
        waiters: [],
        slot: -1,
        run: undefined,
        settled: false,
      }
      open.add(flight)
      if (key !== undefined) shared.set(key, flight)
      const promise = board(flight, options, deadline) as Promise<never>
      flight.run = start(flight, (outcome) => settle(flight, outcome as Outcome<unknown>))
      return promise
    },
    get size() {
      return open.items.length
    },
    close: () => {
      for (const flight of [...open.items]) {
        land(flight)
        for (const waiter of flight.waiters) {
          release(waiter)
          waiter.reject(new CancelledError(`${pool}: closed`))
        }
        flight.run?.cancel('closed')
      }
    },
  }
}
