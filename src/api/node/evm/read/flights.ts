import { CancelledError } from '../../../../errors.ts'
import { TransientMap } from '../../../../lib/transient-map.ts'
import { type SharedWork, shareWork } from '../../../../lib/waiting/shared-work.ts'

/** Joins identical work in flight (singleflight), which is cancelled when the last waiter leaves. */
export interface Flights<T> {
  /** `work` runs at most once per key at a time. Rejects with CancelledError when `signal` aborts. */
  share(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

export function createFlights<T>(): Flights<T> {
  const open = new TransientMap<string, SharedWork<T>>()
  return {
    share: (key, signal, work) => {
      if (signal.aborted) return Promise.reject(new CancelledError())
      const known = open.get(key)
      if (known && !known.abandoned()) return known.join(signal)
      const flight = shareWork(async (shared) => {
        try {
          return await work(shared)
        } finally {
          if (open.get(key) === flight) open.delete(key)
        }
      })
      open.set(key, flight)
      return flight.join(signal)
    },
  }
}
