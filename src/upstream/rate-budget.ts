/** Token bucket: a steady rate with bursts up to one second's worth. */
export interface RateBudget {
  available(now: number): boolean
  /** Takes one token, or says no. */
  take(now: number): boolean
  /** Time at which the next token is there. */
  nextAt(now: number): number
}

export const createRateBudget = (requestsPerSecond: number, now = Date.now()): RateBudget => {
  const burst = Math.max(1, requestsPerSecond)
  let tokens = burst
  let filledAt = now
  const fill = (time: number): void => {
    // A clock that was set back must not freeze the bucket.
    if (time < filledAt) filledAt = time
    tokens = Math.min(burst, tokens + ((time - filledAt) * requestsPerSecond) / 1_000)
    filledAt = time
  }
  return {
    available: (time) => {
      if (tokens < 1) fill(time)
      return tokens >= 1
    },
    take: (time) => {
      if (time !== filledAt) fill(time)
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    nextAt: (time) => (tokens >= 1 ? time : time + Math.ceil(((1 - tokens) * 1_000) / requestsPerSecond)),
  }
}
