import { setMaxListeners } from 'node:events'
import { CancelledError, DeadlineError } from '../../errors.ts'

/** Work under way that several readers wait for; it is aborted once the last of them has left. */
export interface SharedWork<T> {
  /** True once the last reader has left: a new one must start anew. */
  abandoned(): boolean
  join(signal?: AbortSignal): Promise<T>
}

/** Starts `run` at once. A reader that leaves gets CancelledError, one whose time is over why; the others keep waiting. */
export function shareWork<T>(run: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
  const controller = new AbortController()
  // Every call of the work listens to the one signal.
  setMaxListeners(0, controller.signal)
  const result = Promise.resolve().then(() => run(controller.signal))
  // Every reader may have left before it fails: nobody would be there to hear it.
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
          // The work ends by itself then, and says what kept it from being done.
          if (readers > 0 || !late) reject(late ?? new CancelledError())
        }
        signal.addEventListener('abort', leave, { once: true })
        result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
      })
    },
  }
}
