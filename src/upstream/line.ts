import { UpstreamUnavailableError } from '../errors.ts'

/** Lets so many pieces of work run at once; the rest wait in order, and are refused when too many wait already. */
export const createLine = (mostRunning: number, mostWaiting: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < mostRunning) running += 1
    else if (waiting.length >= mostWaiting) throw new UpstreamUnavailableError('too many fetches waiting')
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
