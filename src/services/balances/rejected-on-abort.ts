import { CancelledError } from '../../errors.ts'

const rejections = new WeakMap<AbortSignal, Promise<never>>()

/** Rejects when the signal is aborted. One listener, however many chains a request waits for. */
export function rejectedOnAbort(signal: AbortSignal): Promise<never> {
  let rejection = rejections.get(signal)
  if (!rejection) {
    rejection = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new CancelledError()), { once: true })
    })
    rejection.catch(() => {})
    rejections.set(signal, rejection)
  }
  return rejection
}
