import { CancelledError } from '../../errors.ts'

/**
 * Waits for a shared promise, but not beyond its own signal; the promise itself continues for others.
 * Rejects with CancelledError on abort.
 */
export const untilAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new CancelledError())
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
