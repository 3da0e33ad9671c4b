import { CancelledError } from '../../errors.ts'

/**
 * Runs work when its turn comes.
 * @throws CancelledError when the signal aborts before the work starts (its place is then free), and the error of
 * `full` when too many wait
 */
export type WorkQueue = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

export interface WorkQueueLimits {
  /** Pieces of work at the same time. */
  running: number
  /** Pieces of work that may wait in addition, first come, first served. */
  waiting: number
}

/** @param full makes the error for work that comes when too many wait */
export function createWorkQueue(limits: WorkQueueLimits, full: () => Error): WorkQueue {
  const waiting = new Set<() => void>()
  let running = 0
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((go, refuse) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave)
        go()
      }
      const leave = (): void => {
        waiting.delete(begin)
        refuse(new CancelledError())
      }
      waiting.add(begin)
      signal?.addEventListener('abort', leave, { once: true })
    })
  const next = (): void => {
    const [first] = waiting
    if (first === undefined) running -= 1
    else {
      // The place is handed over directly, so that work that arrives now cannot take it.
      waiting.delete(first)
      first()
    }
  }
  return async (work, signal) => {
    if (signal?.aborted) throw new CancelledError()
    if (running < limits.running) running += 1
    else if (waiting.size >= limits.waiting) throw full()
    else await turn(signal)
    try {
      return await work()
    } finally {
      next()
    }
  }
}
