import { CancelledError } from '../../../../errors.ts'
import { TransientMap } from '../../../../lib/transient-map.ts'

/** Joins identical work in flight (singleflight), which is cancelled when the last waiter leaves. */
export interface Flights<T> {
  /** `work` runs at most once per key at a time. Rejects with CancelledError when `signal` aborts. */
  share(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface Flight<T> {
  result: Promise<T>
  controller: AbortController
  waiting: number
}

export function createFlights<T>(): Flights<T> {
  const open = new TransientMap<string, Flight<T>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController()
    const flight: Flight<T> = { result: work(controller.signal), controller, waiting: 0 }
    open.set(key, flight)
    const land = (): void => {
      if (open.get(key) === flight) open.delete(key)
    }
    flight.result.then(land, land)
    return flight
  }
  return {
    share: (key, signal, work) => {
      if (signal.aborted) return Promise.reject(new CancelledError())
      const flight = open.get(key) ?? start(key, work)
      flight.waiting += 1
      return new Promise<T>((resolve, reject) => {
        let left = false
        const leave = (): boolean => {
          if (left) return false
          left = true
          signal.removeEventListener('abort', onAbort)
          flight.waiting -= 1
          return true
        }
        const onAbort = (): void => {
          leave()
          reject(new CancelledError())
          if (flight.waiting > 0) return
          if (open.get(key) === flight) open.delete(key)
          flight.controller.abort()
        }
        signal.addEventListener('abort', onAbort)
        flight.result.then(
          (value) => {
            if (leave()) resolve(value)
          },
          (error: unknown) => {
            if (leave()) reject(error)
          },
        )
      })
    },
  }
}
