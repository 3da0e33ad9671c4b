import { performance } from 'node:perf_hooks'
import { DeadlineError } from '../../errors.ts'
import { nextTurn } from '../../lib/next-turn.ts'

/** When a read must be over. */
export interface Deadline {
  /** Milliseconds of `Date.now()`: later after much work, earlier again in the idleness that follows, never before the time given. */
  at(): number
  /** The same as what is left of the time, whatever happens to the clock; negative when it is over. */
  left(): number
}

/**
 * The time that upstreams have, in milliseconds. A chain must not fail because we had no time to listen: where this
 * process is at work for more than half of the time, the excess does not count, up to as much time again.
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

/** What is told to end may take so many turns of the event loop to do so. */
const TURNS_TO_END = 5

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

/** Runs `work` until the deadline. The signal of `controller` tells it to stop; the timer makes it true anyway. */
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
      // Who is told may have an answer for some, or know what kept the others from coming; who does not listen is left.
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
