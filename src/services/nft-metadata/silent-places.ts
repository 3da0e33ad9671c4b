import { LRUCache } from 'lru-cache'
import { UpstreamUnavailableError } from '../../errors.ts'
import { roomFor } from '../../lib/room-for.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

/** Prevents a collection whose documents are no longer served from occupying the slots of all others. */
export interface SilentPlaces {
  /** @throws UpstreamUnavailableError while the place is left alone */
  check(place: string): void
  /**
   * Runs the work. A place that timed out several times in a row is left alone for a minute, except with `anyhow`.
   * @param work calls `begins` when the place is asked, if it waits for anything before: that is not the place's time
   */
  ask<T>(place: string, work: (begins: () => void) => Promise<T>, anyhow?: boolean): Promise<T>
}

/** A failure after this long counts as a timeout; faster failures delay nobody. Milliseconds. */
const WAITED_MS = 3_000
const MOST_IN_VAIN = 4
const SILENT_MS = 60_000
/** Recently failed places; an evicted one is asked again. */
const REMEMBERED = 10_000

export function createSilentPlaces(now: () => number = steadyNow): SilentPlaces {
  const failing = new LRUCache<string, { inVain: number; untilMs: number }>(roomFor(REMEMBERED))
  const check = (place: string): void => {
    if ((failing.get(place)?.untilMs ?? 0) > now())
      throw new UpstreamUnavailableError(`${place}: left its latest requests unanswered`)
  }
  return {
    check,
    async ask(place, work, anyhow = false) {
      if (!anyhow) check(place)
      let beganAt = now()
      try {
        const found = await work(() => {
          beganAt = now()
        })
        failing.delete(place)
        return found
      } catch (error) {
        const inVain = (failing.get(place)?.inVain ?? 0) + 1
        if (now() - beganAt < WAITED_MS) failing.delete(place)
        else failing.set(place, { inVain, untilMs: inVain < MOST_IN_VAIN ? 0 : now() + SILENT_MS })
        throw error
      }
    },
  }
}
