const ALPHA = 0.1
const HALF_LIFE_MS = 10_000
const NOTHING = 0.001

/** Moving share of failed requests, 0 to 1. Decays with time, because an upstream without calls cannot improve it. */
export interface ErrorRate {
  add(failed: boolean, now: number): void
  at(now: number): number
}

export const createErrorRate = (): ErrorRate => {
  let rate = 0
  let fadedAt = 0
  const at = (now: number): number => {
    if (rate === 0) return 0
    rate *= 0.5 ** (Math.max(0, now - fadedAt) / HALF_LIFE_MS)
    if (rate < NOTHING) rate = 0
    fadedAt = now
    return rate
  }
  return {
    add: (failed, now) => {
      // Already 0: the usual case on the hot path.
      if (!failed && rate === 0) return
      rate = at(now) * (1 - ALPHA) + (failed ? ALPHA : 0)
      fadedAt = now
    },
    at,
  }
}
