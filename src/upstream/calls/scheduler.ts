import { type Bagged, createBag } from './bag.ts'

export interface Scheduled extends Bagged {
  /** Milliseconds of `performance.now()`. */
  readonly time: number
  run: () => void
}

/** Runs functions at absolute times. One timer serves all entries, so that a call costs no timer of its own. */
export interface Scheduler {
  /** `time` is milliseconds of `Date.now()`. */
  at(time: number, run: () => void): Scheduled
  cancel(entry: Scheduled): void
  readonly size: number
}

/** A timer that comes later than this was held up by computation. */
const STANDSTILL_MS = 100

const nothing = (): void => undefined

/** What two readings of an unchanged wall clock may differ by against the other one, milliseconds, and a little more. */
const SAME_CLOCK_MS = 2

/**
 * The timer is armed for the earliest entry known; an entry that is cancelled leaves it as it is, because in normal
 * work nearly every entry (hedge, deadline) is cancelled long before its time.
 */
export const createScheduler = (): Scheduler => {
  const entries = createBag<Scheduled>()
  let timer: NodeJS.Timeout | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  /** By how much the wall clock is ahead of the other one. */
  let offset = Number.NaN

  const arm = (time: number): void => {
    if (timer) clearTimeout(timer)
    wakeAt = time
    timer = setTimeout(wake, Math.max(1, Math.min(Math.ceil(time - performance.now()), 0x7fffffff)))
  }
  const wake = (): void => {
    timer = undefined
    // The process stood still: what has arrived meanwhile is read before anybody is told that it came too late.
    if (performance.now() - wakeAt > STANDSTILL_MS) setImmediate(run)
    else run()
  }
  const run = (): void => {
    // Armed anew meanwhile: that timer sees to everything.
    if (timer) clearTimeout(timer)
    timer = undefined
    wakeAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    const due: Scheduled[] = []
    let next = Number.POSITIVE_INFINITY
    for (const entry of entries.items) {
      if (entry.time <= now) due.push(entry)
      else if (entry.time < next) next = entry.time
    }
    // After a standstill many are due at once, in a bag without order.
    due.sort((a, b) => a.time - b.time)
    for (const entry of due) if (entries.remove(entry)) entry.run()
    if (next < wakeAt) arm(next)
  }
  /** As a time of the clock that nobody sets: else what waits would wait for an hour more when the other is set back. */
  const steady = (wallTime: number): number => {
    const ahead = Date.now() - performance.now()
    // Within its whole milliseconds the wall clock is the same one still, and equal times stay equal.
    if (!(Math.abs(ahead - offset) < SAME_CLOCK_MS)) offset = ahead
    return wallTime - offset
  }
  return {
    at: (wallTime, run) => {
      const time = steady(wallTime)
      const entry = { time, run, slot: -1 }
      entries.add(entry)
      if (time < wakeAt) arm(time)
      else if (entries.items.length === 1) timer?.ref()
      return entry
    },
    cancel: (entry) => {
      if (!entries.remove(entry)) return
      // Whoever still holds the entry must not hold what it would have run.
      entry.run = nothing
      if (entries.items.length > 0 || timer === undefined) return
      // Nothing is left: a pending timer would keep an otherwise finished process alive.
      timer.unref()
    },
    get size() {
      return entries.items.length
    },
  }
}
