export interface Scheduled {
  readonly time: number
  readonly run: () => void
}

/** Runs functions at absolute times. One timer serves all entries, so that a call costs no timer of its own. */
export interface Scheduler {
  /** `time` is milliseconds of `Date.now()`. */
  at(time: number, run: () => void): Scheduled
  cancel(entry: Scheduled): void
  readonly size: number
}

/**
 * The timer is armed for the earliest entry known; an entry that is cancelled leaves it as it is, because in normal
 * work nearly every entry (hedge, deadline) is cancelled long before its time.
 */
export const createScheduler = (): Scheduler => {
  const entries = new Set<Scheduled>()
  let timer: NodeJS.Timeout | undefined
  let wakeAt = Number.POSITIVE_INFINITY

  const arm = (time: number): void => {
    if (timer) clearTimeout(timer)
    wakeAt = time
    timer = setTimeout(wake, Math.max(1, Math.min(time - Date.now(), 0x7fffffff)))
  }
  const wake = (): void => {
    timer = undefined
    wakeAt = Number.POSITIVE_INFINITY
    const now = Date.now()
    const due: Scheduled[] = []
    let next = Number.POSITIVE_INFINITY
    for (const entry of entries) {
      if (entry.time <= now) due.push(entry)
      else if (entry.time < next) next = entry.time
    }
    for (const entry of due) if (entries.delete(entry)) entry.run()
    if (next < wakeAt) arm(next)
  }
  return {
    at: (time, run) => {
      const entry = { time, run }
      entries.add(entry)
      if (time < wakeAt) arm(time)
      return entry
    },
    cancel: (entry) => {
      if (!entries.delete(entry) || entries.size > 0 || timer === undefined) return
      // Nothing is left: a pending timer would keep an otherwise finished process alive.
      timer.unref()
    },
    get size() {
      return entries.size
    },
  }
}
