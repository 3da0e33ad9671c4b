import { CancelledError, OverloadedError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { createScheduler } from '../calls/scheduler.ts'
import { MAX_WAITING } from '../defaults.ts'
import { createGate, type Ticket } from './gate.ts'
import { createRateBudget } from './rate-budget.ts'

/** Admission to one server that does not speak HTTP: the same limits and the same order as a gate. */
export interface ServerGate {
  /**
   * Resolves when the call may be made, with a function to be called once when it has ended.
   *
   * @param signal calls with the same signal are parts of one reading, see `CallOptions.signal`
   * @param isUrgent the call comes before all others, see `Waiting`
   * @throws CancelledError when the signal aborts before; OverloadedError when too many wait
   */
  enter(signal: AbortSignal, isUrgent: boolean): Promise<() => void>
  /** True when a call could be made at once. */
  hasRoom(): boolean
  /**
   * The server refused calls for their number: fewer are let through from now on, slowly growing again. Calls that were
   * under way together lower the rate only once.
   *
   * @param begunAt when the refused call began, milliseconds of `steadyNow`
   */
  refused(begunAt: number): void
  /** The server answered a call. */
  answered(): void
}

export interface ServerGateDeps {
  host: string
  /** Calls begun per second, and calls at once. */
  limits: { requestsPerSecond: number; maxConcurrent: number }
  /** Called with the length of a wait, milliseconds; not called for calls that are made at once. */
  onWait?: (ms: number) => void
}

/** Less is no wait, only the time it takes to get through the gate. */
const LEAST_WAIT_MS = 1

export const createServerGate = ({ host, limits, onWait }: ServerGateDeps): ServerGate => {
  const budget = createRateBudget(limits.requestsPerSecond)
  const { maxConcurrent } = limits
  let refusedAt = Number.NEGATIVE_INFINITY
  const gate = createGate({ maxConcurrent, maxWaiting: MAX_WAITING, budget, scheduler: createScheduler() })
  return {
    enter: (signal, isUrgent) =>
      new Promise((resolve, reject) => {
        const madeAt = performance.now()
        const onAbort = (): void => {
          gate.withdraw(ticket)
          reject(new CancelledError())
        }
        const ticket: Ticket = {
          partOf: signal,
          urgent: isUrgent,
          start: () => {
            signal.removeEventListener('abort', onAbort)
            const ms = performance.now() - madeAt
            if (ms >= LEAST_WAIT_MS) onWait?.(ms)
            resolve(gate.leave)
          },
          refuse: (reason) => {
            signal.removeEventListener('abort', onAbort)
            reject(new OverloadedError(`${host}: ${reason}`))
          },
        }
        if (signal.aborted) {
          reject(new CancelledError())
          return
        }
        signal.addEventListener('abort', onAbort, { once: true })
        if (!gate.enter(ticket, Date.now())) ticket.refuse('too many calls waiting')
      }),
    hasRoom: () => gate.room(Date.now()),
    refused: (begunAt) => {
      if (begunAt <= refusedAt) return
      refusedAt = steadyNow()
      budget.refused(Date.now())
    },
    answered: () => budget.answered(Date.now()),
  }
}
