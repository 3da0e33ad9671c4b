import { CancelledError } from '../../errors.ts'

const departures = new WeakMap<AbortSignal, Promise<never>>()

/** Rejects when the signal is aborted. One listener, however many chains a request waits for. */
export function departure(signal: AbortSignal): Promise<never> {
  let left = departures.get(signal)
  if (!left) {
    left = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new CancelledError()), { once: true })
    })
    left.catch(() => {})
    departures.set(signal, left)
  }
  return left
}
