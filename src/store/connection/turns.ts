import { DeadlineError } from '../../errors.ts'
import { StoreUnavailableError } from '../errors.ts'

/** Lets one caller in at a time, in the order of arrival. */
export interface Turns {
  /**
   * Waits for the turn; what it resolves to ends it.
   * @throws DeadlineError when it did not come within `timeoutMs`, StoreUnavailableError when too many wait already
   */
  take(timeoutMs: number): Promise<() => void>
  readonly load: { busy: number; waiting: number }
}

/** @param maxWaiting callers that may wait at once */
export function createTurns(maxWaiting: number): Turns {
  const waiting = new Set<() => void>()
  let busy = false
  const done = (): void => {
    const [next] = waiting
    if (next === undefined) busy = false
    else {
      waiting.delete(next)
      next()
    }
  }
  const once = (): (() => void) => {
    let over = false
    return () => {
      if (over) return
      over = true
      done()
    }
  }
  return {
    get load() {
      return { busy: busy ? 1 : 0, waiting: waiting.size }
    },
    take(timeoutMs) {
      if (!busy) {
        busy = true
        return Promise.resolve(once())
      }
      if (waiting.size >= maxWaiting) return Promise.reject(new StoreUnavailableError('too many wait for the database'))
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(enter)
          reject(new DeadlineError(`the database was busy for ${timeoutMs} ms`))
        }, timeoutMs)
        const enter = (): void => {
          clearTimeout(timer)
          resolve(once())
        }
        waiting.add(enter)
      })
    },
  }
}
