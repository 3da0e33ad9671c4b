import { CancelledError, UpstreamUnavailableError } from '../../errors.ts'

/**
 * Lets so many pieces of work run at once; the rest wait in order, and are refused when too many wait already.
 * @throws CancelledError when the signal fires before the work begins; then its place is free
 */
export const createLine = (mostRunning: number, mostWaiting: number) => {
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
  return async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    if (signal?.aborted) throw new CancelledError()
    if (running < mostRunning) running += 1
    else if (waiting.size >= mostWaiting) throw new UpstreamUnavailableError('too many fetches waiting')
    else await turn(signal)
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else running -= 1
    }
  }
}
