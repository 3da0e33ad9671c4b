import { BESIDE_AGAIN_MS } from '../defaults.ts'
import type { Upstream } from '../upstream.ts'

/** Bounds hedging: when every upstream is slow, sending everything twice would make it worse. */
export interface HedgeBudget {
  /** Counts one read. */
  earn(): void
  /** Pays for one hedge, or says no. */
  spend(): boolean
}

/**
 * A number of reads earns one hedge, and so does each second. The latter adds nothing to the load of busy upstreams; without
 * it a read behind a few that hang would wait for their time limits where there are few reads.
 */
const EARNED_EACH_MS = 1_000

/** @param now milliseconds; for ages */
export const createHedgeBudget = (readsPerHedge: number, now: () => number = () => performance.now()): HedgeBudget => {
  const most = readsPerHedge * readsPerHedge
  let saved = most
  let earnedAt = now()
  const earn = (reads: number): void => {
    saved = Math.min(most, saved + reads)
  }
  return {
    earn: () => earn(1),
    spend: () => {
      const time = now()
      earn(((time - earnedAt) / EARNED_EACH_MS) * readsPerHedge)
      earnedAt = time
      if (saved < readsPerHedge) return false
      saved -= readsPerHedge
      return true
    },
  }
}

/** While the p95 is unknown, wait this many times the minimum before hedging. */
const COLD_HEDGE_FACTOR = 4

/**
 * How long a read waits for this upstream before it also asks another, milliseconds: a second at most, unless more is
 * configured. One that stood still for long keeps the latencies of then, since it is rarely asked afterwards, and must
 * not keep reads waiting for as long when it stands still again.
 * @param minimum `hedgeMinMs`
 */
export const hedgeDelay = (upstream: Upstream, minimum: number): number => {
  // A probe of an upstream that was down must not make its caller wait long.
  if (upstream.breaker.state() !== 'closed') return minimum
  const p95 = upstream.latency.p95()
  return p95 === undefined ? minimum * COLD_HEDGE_FACTOR : Math.max(minimum, Math.min(p95, BESIDE_AGAIN_MS))
}
