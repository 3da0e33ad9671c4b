import { type Bag, type Bagged, createBag } from './bag.ts'

/** One call that wants to know when a signal aborts. */
export interface AbortWatch extends Bagged {
  onAbort(): void
}

interface Hub {
  watches: Bag<AbortWatch>
  listener: () => void
}

/**
 * One listener per AbortSignal, however many calls depend on it: a balance request makes hundreds of calls with the
 * same signal, and Node warns of a leak from the eleventh listener on.
 */
const hubs = new WeakMap<AbortSignal, Hub>()

const openHub = (signal: AbortSignal): Hub => {
  const watches = createBag<AbortWatch>()
  const listener = (): void => {
    hubs.delete(signal)
    for (const watch of [...watches.items]) if (watches.remove(watch)) watch.onAbort()
  }
  const hub = { watches, listener }
  hubs.set(signal, hub)
  signal.addEventListener('abort', listener, { once: true })
  return hub
}

export const watchAbort = (signal: AbortSignal, watch: AbortWatch): void => {
  const hub = hubs.get(signal) ?? openHub(signal)
  hub.watches.add(watch)
}

/** Removing the last watch removes the listener. */
export const unwatchAbort = (signal: AbortSignal, watch: AbortWatch): void => {
  const hub = hubs.get(signal)
  if (!hub?.watches.remove(watch) || hub.watches.items.length > 0) return
  hubs.delete(signal)
  signal.removeEventListener('abort', hub.listener)
}
