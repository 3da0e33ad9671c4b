/** Stops all work under way together; afterwards new work starts aborted. */
export interface Stopper {
  readonly stopped: boolean
  /** @param work gets its own signal, which `stop` aborts */
  run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>
  stop(): void
}

/**
 * Used instead of one signal for all work: a signal remembers every `AbortSignal.any` that it was part of for as long
 * as it lives, which is a leak if it lives as long as the process.
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
