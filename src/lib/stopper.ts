/** Whatever is under way may be stopped together, and nothing begins behind that. */
export interface Stopper {
  readonly stopped: boolean
  /** @param work is given a signal of its own, which is aborted by `stop` */
  run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>
  stop(): void
}

/**
 * In place of one signal for all, where each work joins it with others: a signal remembers every `AbortSignal.any` that it
 * was a part of for as long as it lives, which is a leak in one that lives as long as the process.
 */
export function createStopper(): Stopper {
  const running = new Set<AbortController>()
  let stopped = false
  return {
    get stopped() {
      return stopped
    },
    async run(work) {
      const own = new AbortController()
      if (stopped) own.abort()
      running.add(own)
      try {
        return await work(own.signal)
      } finally {
        running.delete(own)
      }
    },
    stop() {
      stopped = true
      for (const own of running) own.abort()
    },
  }
}
