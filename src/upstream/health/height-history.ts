import { steadyNow } from '../../lib/steady-clock.ts'
import type { Upstream } from '../upstream.ts'

/** What each upstream of a pool told of its tip, and when: heights alone do not show which is stuck on a slow chain. */
export interface HeightHistory {
  told(upstream: Upstream, height: bigint): void
  /**
   * True when the upstream, at the time it last told its height, lacked a block that another had told long before. An
   * upstream whose breaker is not closed is not used for comparison.
   * @param agoMs how long before, milliseconds; left out = so long that all upstreams have the block by then
   */
  standsStill(upstream: Upstream, others: readonly Upstream[], agoMs?: number): boolean
  /**
   * How long ago, when this upstream last told its height, another had told of a block that it lacked, milliseconds, as
   * far back as is remembered; 0 = it lacked none. Upstreams that no longer answer count: a block that existed does not
   * go away.
   */
  lackedFor(upstream: Upstream, others: readonly Upstream[]): number
}

interface Told {
  height: bigint
  at: number
}

/**
 * @param longMs all upstreams have a block within this time; milliseconds
 * @param rememberedMs at least twice as long
 * @param now milliseconds; used for ages only
 */
export function createHeightHistory(
  longMs: number,
  rememberedMs: number = 2 * longMs,
  now: () => number = steadyNow,
): HeightHistory {
  /** In order of time: the newest entry that is old enough, and all later ones. */
  const all = new WeakMap<Upstream, Told[]>()

  const heightAt = (upstream: Upstream, time: number): bigint | undefined =>
    all.get(upstream)?.findLast(({ at }) => at <= time)?.height

  return {
    told(upstream, height) {
      const at = now()
      const told = all.get(upstream) ?? []
      const firstNeeded = told.findLastIndex((one) => one.at <= at - Math.max(rememberedMs, 2 * longMs))
      all.set(upstream, [...told.slice(Math.max(0, firstNeeded)), { height, at }])
    },
    standsStill(upstream, others, agoMs = longMs) {
      const last = all.get(upstream)?.at(-1)
      if (!last) return false
      return others.some((other) => {
        const height = other.height()
        if (other === upstream || other.breaker.state() !== 'closed' || height === undefined) return false
        const before = heightAt(other, last.at - agoMs)
        // An upstream that has gone back since is right now, or was wrong then.
        return before !== undefined && before > last.height && height > last.height
      })
    },
    lackedFor(upstream, others) {
      const last = all.get(upstream)?.at(-1)
      if (!last) return 0
      const since = others.flatMap((other) => {
        if (other === upstream || (other.height() ?? 0n) <= last.height) return []
        return all.get(other)?.find(({ height }) => height > last.height)?.at ?? []
      })
      return Math.max(0, last.at - Math.min(last.at, ...since))
    },
  }
}
