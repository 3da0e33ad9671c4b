import { steadyNow } from '../../lib/steady-clock.ts'
import { failed, type Outcome } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'
import { believedHead, createFirstTime } from './believed-head.ts'
import { createHeightHistory } from './height-history.ts'

/** Compares what upstreams tell of their tips: the chain's head, and who lags. */
export interface HeadComparison {
  /** Never goes back, unless the chain was reset. */
  head(): bigint | undefined
  /** @param askedAt moment of the steady clock; what others told later, this one need not have */
  told(upstream: Upstream, height: bigint, askedAt: number): void
  /** The upstream does not answer: once it is back, it lags until it has shown that it does not. */
  wentAway(upstream: Upstream): void
  /** Why an upstream is not even the last resort; undefined if it is. */
  tooOld(upstream: Upstream): Outcome<never> | undefined
  /**
   * A server came back with a lower tip. Forgets the head if none has it any more.
   * @param before the height that it had
   * @returns whether the chain was reset
   */
  wasReset(upstream: Upstream, before: bigint): boolean
}

/** An upstream that lacks another's block for this many intervals is stuck: on a slow chain one block takes hours. */
export const STILL_INTERVALS = 2
/** What a server told is remembered at most this long, whatever is configured, milliseconds. Its last height stays. */
const REMEMBERED_MS = 600_000

const rememberedMs = (upstreams: readonly Upstream[]): number =>
  Math.min(2 * Math.max(...upstreams.map(({ limits }) => limits.maxLagMs)), REMEMBERED_MS)

/**
 * @param isForeign true if the upstream's height does not count
 * @param intervalMs upstreams tell their heights this often, milliseconds
 */
export const createHeadComparison = (
  upstreams: readonly Upstream[],
  isForeign: (upstream: Upstream) => boolean,
  intervalMs: number,
): HeadComparison => {
  const tips = createHeightHistory(STILL_INTERVALS * intervalMs, rememberedMs(upstreams))
  /** Did not answer, and has not shown since that it has what others had told: a restarted node lacks some blocks. */
  const away = new Set<Upstream>()
  let head: bigint | undefined
  let first = createFirstTime()

  /** The highest height that is plausible, and the upstreams that have told none above it. */
  const plausible = (maxLag: number) => {
    const here = upstreams.filter((upstream) => !isForeign(upstream))
    const heights = here.flatMap((upstream) => upstream.height() ?? [])
    const best = believedHead(heights, maxLag)
    const credible = best === undefined ? [] : here.filter((upstream) => (upstream.height() ?? 0n) <= best)
    return { heights, best, credible }
  }
  const compare = (maxLag: number): void => {
    const { heights, best, credible } = plausible(maxLag)
    if (best === undefined) return
    if (head === undefined || best > head || first.refutes(head, best, heights)) head = best
    const isAnyThere = credible.some((one) => !away.has(one) && one.height() !== undefined)
    for (const upstream of upstreams) {
      const height = upstream.height()
      const lag = height === undefined ? undefined : Number(best > height ? best - height : 0n)
      const standsStill = lag !== undefined && lag > 0 && tips.standsStill(upstream, credible)
      upstream.setLag(lag, standsStill || (away.has(upstream) && isAnyThere))
    }
  }
  const hasCaughtUp = (upstream: Upstream, askedAt: number): boolean => {
    const there = plausible(upstream.limits.maxLagBlocks).credible.filter((one) => !away.has(one))
    return !tips.standsStill(upstream, there, steadyNow() - askedAt)
  }
  return {
    head: () => head,
    told(upstream, height, askedAt) {
      tips.told(upstream, height)
      if (away.has(upstream) && hasCaughtUp(upstream, askedAt)) away.delete(upstream)
      compare(upstream.limits.maxLagBlocks)
    },
    wentAway(upstream) {
      away.add(upstream)
      compare(upstream.limits.maxLagBlocks)
    },
    tooOld(upstream) {
      if (!upstream.lag()) return undefined
      const lacked = tips.lackedFor(upstream, plausible(upstream.limits.maxLagBlocks).credible)
      if (lacked <= upstream.limits.maxLagMs) return undefined
      const reason = `${upstream.lag()} blocks behind, for over ${upstream.limits.maxLagMs / 1_000} s`
      return failed({ host: upstream.host, kind: 'behind', reason, neverSent: true })
    },
    // A server that is only restarted still has its blocks. Servers behind one address may be some blocks apart, but
    // none loses half of a chain.
    wasReset(upstream, before) {
      if ((upstream.height() ?? 0n) * 2n > before) return false
      if (upstreams.some((one) => !isForeign(one) && (one.height() ?? 0n) >= before)) return false
      head = undefined
      first = createFirstTime()
      return true
    },
  }
}
