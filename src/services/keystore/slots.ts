import { CancelledError } from '../../errors.ts'
import { KeystoreBusyError } from './errors.ts'

/** Lets a few run at once and a bounded number wait, in the order of arrival. */
export interface Slots {
  /** @throws KeystoreBusyError when too many wait already, CancelledError when `signal` fires before the turn comes */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createSlots(limits: { running: number; waiting: number }): Slots {
  const queue = new Set<() => void>()
  let running = 0
  const enter = (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(new CancelledError())
    if (running < limits.running) {
      running += 1
      return Promise.resolve()
    }
    if (queue.size >= limits.waiting) return Promise.reject(new KeystoreBusyError())
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(start)
        reject(new CancelledError())
      }
      // The slot is handed over, so that nobody who comes now can slip in between.
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      queue.add(start)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
  const exit = (): void => {
    const [next] = queue
    if (next === undefined) running -= 1
    else {
      queue.delete(next)
      next()
    }
  }
  return {
    async run(work, signal) {
      await enter(signal)
      try {
        return await work()
      } finally {
        exit()
      }
    },
  }
}
