import { setMaxListeners } from 'node:events'
import { CancelledError, DeadlineError } from '../../errors.ts'

/** Work that several readers wait for; it is aborted once the last of them has left. */
export interface SharedWork<T> {
  /** True once the last reader has left: a new reader must start new work. */
  abandoned(): boolean
  join(signal?: AbortSignal): Promise<T>
}

/** Starts `run` at once. A reader that leaves gets CancelledError, or its DeadlineError; the others keep waiting. */
export function shareWork<T>(run: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
  const controller = new AbortController()
  // Every call of the work listens to this signal.
  setMaxListeners(0, controller.signal)
  const result = Promise.resolve().then(() => run(controller.signal))
  // All readers may have left before the work fails: nobody would handle the rejection.
  result.catch(() => undefined)
  let readers = 0
  return {
    abandoned: () => controller.signal.aborted,
    join(signal) {
      if (!signal) {
        readers += 1
        return result
      }
      if (signal.aborted) return Promise.reject(new CancelledError())
      readers += 1
      return new Promise<T>((resolve, reject) => {
        const leave = () => {
          readers -= 1
          const late = signal.reason instanceof DeadlineError ? signal.reason : undefined
          if (readers === 0) controller.abort(late ?? new CancelledError())
          // After the last reader's deadline the work ends by itself, and its own error says what delayed it.
          if (readers > 0 || !late) reject(late ?? new CancelledError())
        }
        signal.addEventListener('abort', leave, { once: true })
        result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
      })
    },
  }
}
