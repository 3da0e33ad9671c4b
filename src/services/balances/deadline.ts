import { performance } from 'node:perf_hooks'
import { DeadlineError } from '../../errors.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'

/** When a read must end. */
export interface Deadline {
  /** Milliseconds of `Date.now()`: later after much work, earlier again in idle time, never before the given time. */
  at(): number
  /** The remaining time, unaffected by clock changes; negative when it is over. */
  left(): number
}

/**
 * The time that upstreams get, in milliseconds. A chain must not fail because this process was busy: if it works for
 * more than half of the time, the excess does not count, up to as much time again.
 */
export function createDeadline(ms: number): Deadline {
  const startedAt = Date.now()
  const begun = performance.now()
  const before = performance.eventLoopUtilization()
  const whole = (): number => {
    const { active, idle } = performance.eventLoopUtilization(before)
    return ms + Math.min(Math.max(0, active - idle), ms)
  }
  return {
    at: () => startedAt + whole(),
    left: () => whole() - (performance.now() - begun),
  }
}

/** Aborted work may take this many turns of the event loop to end. */
const TURNS_TO_END = 5

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

/** Runs `work` until the deadline. The signal of `controller` tells it to stop; the timer enforces it anyway. */
export async function withDeadline<T>(
  deadline: Deadline,
  controller: AbortController,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const wait = (): void => {
      const left = deadline.left()
      if (left > 0) {
        timer = setTimeout(wait, left)
        return
      }
      const error = new DeadlineError(`timed out after ${Math.round(performance.now() - startedAt)} ms`)
      controller.abort(error)
      // The aborted work may have answers for some accounts, or know why others are missing; if it ignores the signal,
      // it is left.
      void turns(TURNS_TO_END).then(() => reject(error))
    }
    wait()
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
