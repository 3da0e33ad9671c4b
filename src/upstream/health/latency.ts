const WINDOW = 64
const REFRESH_EVERY = 16
const ALPHA = 0.2
/** Fewer samples say nothing about the tail. */
const MIN_SAMPLES = 8
const RECENT_MS = 60_000

/** Latency of one upstream: moving mean, and the 95th percentile of the last answers. Milliseconds. */
export interface LatencyEstimator {
  add(ms: number): void
  /** Undefined before the first sample. */
  mean(): number | undefined
  /** Like `mean`, but also undefined when the last sample is older than a minute. */
  recentMean(now: number): number | undefined
  /** Undefined while there are too few samples. */
  p95(): number | undefined
}

export const createLatencyEstimator = (): LatencyEstimator => {
  const window = new Float64Array(WINDOW)
  let count = 0
  let mean: number | undefined
  let p95: number | undefined
  let stale = true
  let sampledAt = 0

  const refresh = (): void => {
    const size = Math.min(count, WINDOW)
    const sorted = window.slice(0, size).sort()
    p95 = sorted[Math.ceil(size * 0.95) - 1]
    stale = false
  }
  return {
    add: (ms) => {
      window[count % WINDOW] = ms
      count += 1
      sampledAt = Date.now()
      mean = mean === undefined ? ms : mean + ALPHA * (ms - mean)
      if (count < WINDOW || count % REFRESH_EVERY === 0) stale = true
    },
    mean: () => mean,
    // A sample from the future is from before the clock was set back.
    recentMean: (now) => (Math.abs(now - sampledAt) > RECENT_MS ? undefined : mean),
    p95: () => {
      if (count < MIN_SAMPLES) return undefined
      if (stale) refresh()
      return p95
    },
  }
}
