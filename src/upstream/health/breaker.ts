export type BreakerState = 'closed' | 'open' | 'half-open'

/** Keeps calls away from an upstream that failed several times in a row, and lets one probe through after a while. */
export interface Breaker {
  state(): BreakerState
  /** True when the breaker has been open long enough for one probe. */
  probeDue(now: number): boolean
  /** Reserves the probe: nobody else gets one until its result is known. */
  takeProbe(now: number): void
  success(): void
  failure(now: number): void
  /** The attempt ended without a result: another probe may be sent at once. */
  inconclusive(): void
}

export const createBreaker = (
  limits: { breakerFailures: number; breakerOpenMs: number },
  onChange: (state: BreakerState) => void,
): Breaker => {
  let state: BreakerState = 'closed'
  let failures = 0
  let probeAt = 0
  const become = (next: BreakerState): void => {
    if (next === state) return
    state = next
    onChange(next)
  }
  // Later than it can have been set to: the clock was set back.
  const isDue = (now: number): boolean => now >= probeAt || probeAt - now > limits.breakerOpenMs
  return {
    state: () => state,
    probeDue: (now) => state === 'open' && isDue(now),
    takeProbe: (now) => {
      if (state !== 'open' || !isDue(now)) return
      become('half-open')
    },
    success: () => {
      failures = 0
      become('closed')
    },
    failure: (now) => {
      failures += 1
      if (state === 'closed' && failures < limits.breakerFailures) return
      // An attempt of last resort that fails while the breaker is open must not delay the next probe.
      if (state !== 'open') probeAt = now + limits.breakerOpenMs
      become('open')
    },
    inconclusive: () => {
      if (state === 'half-open') become('open')
    },
  }
}
