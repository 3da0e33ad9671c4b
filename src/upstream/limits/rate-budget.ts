/**
 * Token bucket: a steady rate with bursts of up to one second's worth. When the upstream refuses calls for their
 * number, the rate drops to what it seems to bear and grows from there: the configured rate is rarely what a provider
 * allows.
 */
export interface RateBudget {
  available(now: number): boolean
  /** Takes one token, or says no. */
  take(now: number): boolean
  /** Time at which the next token is available. */
  nextAt(now: number): number
  /** A call was answered. */
  answered(now: number): void
  /** Calls are refused for their number: lowers the rate. Called once for all calls that are refused together. */
  refused(now: number): void
  /** Current requests per second. */
  rate(now: number): number
}

/** Seconds over which a pace is measured. */
const PACE_SECONDS = 5
/** Share of the rate it has answered that an upstream is assumed to bear. */
const BORNE = 0.9
/** Multiple of the recent rate allowed after a first refusal, so that a few refused calls do not stop the others. */
const HEADROOM = 4
/** Requests per second that are always considered possible before the first refusal. */
const LEAST_THOUGHT = 10
/** At a slower rate it would take too long to find out that it is too low, requests per second. */
const LEAST_RATE = 0.5
/** Growth per second while nothing is refused: double in a quarter of a minute. */
const GROWTH = 1.05
/** Share of a learned rate that may go at once: a server that refuses has saved nothing up for us. */
const LEARNED_BURST = 0.25

/** Recent calls per second, over the seconds since the first of them. */
const createPace = () => {
  const counts = new Map<number, number>()
  const secondOf = (time: number): number => Math.floor(time / 1_000)
  return {
    add(time: number): void {
      const second = secondOf(time)
      counts.set(second, (counts.get(second) ?? 0) + 1)
      for (const [oldest] of counts) {
        if (counts.size <= PACE_SECONDS) break
        counts.delete(oldest)
      }
    },
    perSecond(time: number): number {
      const last = secondOf(time)
      const late = [...counts].filter(([second]) => second > last - PACE_SECONDS && second <= last)
      const first = Math.min(last, ...late.map(([second]) => second))
      return late.reduce((sum, [, count]) => sum + count, 0) / (last - first + 1)
    },
  }
}

export const createRateBudget = (requestsPerSecond: number, now = Date.now()): RateBudget => {
  const made = createPace()
  const borne = createPace()
  let rate = requestsPerSecond
  let tokens = Math.max(1, rate)
  let filledAt = now
  const fill = (time: number): void => {
    // A clock that was set back must not freeze the bucket.
    if (time < filledAt) filledAt = time
    const seconds = (time - filledAt) / 1_000
    const isLearned = rate < requestsPerSecond
    if (isLearned) rate = Math.min(requestsPerSecond, rate * GROWTH ** seconds)
    tokens = Math.min(Math.max(1, isLearned ? rate * LEARNED_BURST : rate), tokens + seconds * rate)
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
      made.add(time)
      return true
    },
    nextAt: (time) => (tokens >= 1 ? time : time + Math.ceil(((1 - tokens) * 1_000) / rate)),
    answered: (time) => borne.add(time),
    refused: (time) => {
      fill(time)
      const thought = Math.min(rate, Math.max(LEAST_THOUGHT, HEADROOM * made.perSecond(time)))
      rate = Math.min(rate, Math.max(LEAST_RATE, BORNE * borne.perSecond(time), thought / 2))
      tokens = Math.min(tokens, 1)
    },
    rate: (time) => {
      fill(time)
      return rate
    },
  }
}
