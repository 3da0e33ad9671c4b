import type { Upstream } from '../upstream.ts'

/** Bounds hedging: when every upstream is slow, sending everything twice would make it worse. */
export interface HedgeBudget {
  /** Counts one read. */
  earn(): void
  /** Pays for one hedge, or says no. */
  spend(): boolean
}

export const createHedgeBudget = (readsPerHedge: number): HedgeBudget => {
  let saved = readsPerHedge * readsPerHedge
  const most = saved
  return {
    earn: () => {
      if (saved < most) saved += 1
    },
    spend: () => {
      if (saved < readsPerHedge) return false
      saved -= readsPerHedge
      return true
    },
  }
}

/** While the p95 is unknown, wait this many times the minimum before hedging. */
const COLD_HEDGE_FACTOR = 4

/** How long a read waits for this upstream before it also asks another, milliseconds. @param minimum `hedgeMinMs` */
export const hedgeDelay = (upstream: Upstream, minimum: number): number => {
  // A probe of an upstream that was down must not make its caller wait long.
  if (upstream.breaker.state() !== 'closed') return minimum
  const p95 = upstream.latency.p95()
  return p95 === undefined ? minimum * COLD_HEDGE_FACTOR : Math.max(minimum, p95)
}
