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

/** A timer that fires later than this was held up by computation. */
const STANDSTILL_MS = 100

const nothing = (): void => undefined

/** Largest difference of two readings of unchanged wall and monotonic clocks, plus a margin, milliseconds. */
const SAME_CLOCK_MS = 2

/**
 * The timer is armed for the earliest known entry. Cancelling an entry does not rearm it, because normally nearly every
 * entry (hedge, deadline) is cancelled long before its time.
 */
export const createScheduler = (): Scheduler => {
  const entries = createBag<Scheduled>()
  let timer: NodeJS.Timeout | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  /** How far the wall clock is ahead of the monotonic clock. */
  let offset = Number.NaN

  const arm = (time: number): void => {
    if (timer) clearTimeout(timer)
    wakeAt = time
    timer = setTimeout(wake, Math.max(1, Math.min(Math.ceil(time - performance.now()), 0x7fffffff)))
  }
  const wake = (): void => {
    timer = undefined
    // The process stood still: read what arrived meanwhile before any call is reported as late.
    if (performance.now() - wakeAt > STANDSTILL_MS) setImmediate(run)
    else run()
  }
  const run = (): void => {
    // If the timer was rearmed meanwhile, this run does its work as well.
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
    // After a standstill many entries are due at once, and the bag has no order.
    due.sort((a, b) => a.time - b.time)
    for (const entry of due) if (entries.remove(entry)) entry.run()
    if (next < wakeAt) arm(next)
  }
  /** As a time of the monotonic clock: a wall clock set back by an hour must not make entries wait an hour longer. */
  const steady = (wallTime: number): number => {
    const ahead = Date.now() - performance.now()
    // Within its rounding to whole milliseconds the wall clock has not changed, and equal times must stay equal.
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
      // Code that still holds the entry must not keep alive what the entry would have run.
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
