import { RANKING_MS } from '../defaults.ts'
import type { Upstream } from '../upstream.ts'

/** Chooses the upstream to ask next. */
export interface Ranking {
  /**
   * The best upstream not tried yet: healthy ones first, laggards only when no healthy one is left, then those that
   * serve nothing at the pool's place, those with an open breaker last. Undefined when all are tried or paused. A read
   * waits for a busy healthy upstream rather than ask a lagging one. `probe` lets this read be the one probe of an open
   * breaker. `siblings` (of `CallOptions`): the upstream chosen last for the same object, if it is healthy.
   */
  choose(tried: readonly Upstream[], now: number, probe: boolean, siblings?: object): Upstream | undefined
  /** A healthy upstream with free capacity, for a hedge. */
  spare(tried: readonly Upstream[], now: number): Upstream | undefined
  /**
   * An upstream in place of one that is to be avoided: a healthy one, busy if need be, or one that lags. Who is to be
   * avoided is known to lack something, while who lags was asked some seconds ago.
   */
  instead(tried: readonly Upstream[], now: number): Upstream | undefined
  /** Earliest time at which a paused upstream may be asked again; undefined when none is paused. */
  resumesAt(now: number): number | undefined
  /** Forget the order: health has changed. */
  invalidate(): void
}

const HEALTHY = 0
const LAGGING = 1
const ABSENT = 2
const OPEN = 3

const tierOf = (upstream: Upstream): number => {
  if (upstream.breaker.state() !== 'closed') return OPEN
  if (upstream.absent()) return ABSENT
  return upstream.lagging() ? LAGGING : HEALTHY
}

/**
 * Coarse steps, so that the order does not change with every answer: two upstreams within a factor of 1.4 are equal and
 * keep the order of the configuration. An upstream without a recent measurement counts as fast, so that new upstreams
 * and those that were slow a while ago get measured (a hedge covers the read that does it).
 */
const scoreOf = (upstream: Upstream, now: number): number => {
  const mean = upstream.latency.recentMean(now)
  const speed = mean === undefined ? 0 : Math.round(Math.log2(mean + 1) * 2)
  const errors = upstream.errorRate()
  return speed + (errors > 0.5 ? 12 : errors > 0.2 ? 6 : errors > 0.15 ? 2 : 0)
}

interface Ranked {
  upstream: Upstream
  tier: number
  score: number
}

const order = (a: Ranked, b: Ranked): number =>
  a.tier - b.tier ||
  a.upstream.priority - b.upstream.priority ||
  a.score - b.score ||
  a.upstream.index - b.upstream.index

export const createRanking = (upstreams: readonly Upstream[]): Ranking => {
  let ranked: Ranked[] = []
  let validUntil = 0
  const chosenFor = new WeakMap<object, Upstream>()
  const current = (now: number): readonly Ranked[] => {
    // Later than it can have been set to: the clock was set back.
    if (now >= validUntil || validUntil - now > RANKING_MS) {
      ranked = upstreams
        .map((upstream) => ({ upstream, tier: tierOf(upstream), score: scoreOf(upstream, now) }))
        .sort(order)
      validUntil = now + RANKING_MS
    }
    return ranked
  }
  const pickInTier = (
    list: readonly Ranked[],
    tier: number,
    tried: readonly Upstream[],
    now: number,
  ): Upstream | undefined => {
    let busy: Upstream | undefined
    for (const { upstream, tier: own } of list) {
      if (own !== tier || tried.includes(upstream) || upstream.pausedUntil() > now) continue
      if (upstream.gate.room(now)) return upstream
      if (!busy || upstream.gate.waiting() < busy.gate.waiting()) busy = upstream
    }
    return busy
  }
  const pickProbe = (list: readonly Ranked[], tried: readonly Upstream[], now: number): Upstream | undefined =>
    list.find(
      ({ upstream }) => upstream.breaker.probeDue(now) && !tried.includes(upstream) && upstream.pausedUntil() <= now,
    )?.upstream

  const best = (tried: readonly Upstream[], now: number, probe: boolean): Upstream | undefined => {
    const list = current(now)
    const first = list[0]
    // The usual case, without any search: the best one is healthy, free and untried.
    if (
      first?.tier === HEALTHY &&
      list[list.length - 1]?.tier !== OPEN &&
      tried.length === 0 &&
      first.upstream.pausedUntil() <= now &&
      first.upstream.gate.room(now)
    )
      return first.upstream
    const probed = probe ? pickProbe(list, tried, now) : undefined
    if (probed) {
      probed.breaker.takeProbe(now)
      return probed
    }
    for (const tier of [HEALTHY, LAGGING, ABSENT, OPEN]) {
      const upstream = pickInTier(list, tier, tried, now)
      if (upstream) {
        upstream.breaker.takeProbe(now)
        return upstream
      }
    }
    return undefined
  }

  return {
    choose: (tried, now, probe, siblings) => {
      if (!siblings) return best(tried, now, probe)
      const known = chosenFor.get(siblings)
      const isHealthy = current(now).some(({ upstream, tier }) => upstream === known && tier === HEALTHY)
      if (known && isHealthy && !tried.includes(known) && known.pausedUntil() <= now) return known
      const chosen = best(tried, now, probe)
      if (chosen) chosenFor.set(siblings, chosen)
      return chosen
    },
    spare: (tried, now) =>
      current(now).find(
        ({ upstream, tier }) =>
          tier === HEALTHY && !tried.includes(upstream) && upstream.pausedUntil() <= now && upstream.gate.room(now),
      )?.upstream,
    instead: (tried, now) => {
      const list = current(now)
      return pickInTier(list, HEALTHY, tried, now) ?? pickInTier(list, LAGGING, tried, now)
    },
    resumesAt: (now) => {
      let earliest: number | undefined
      for (const upstream of upstreams) {
        const until = upstream.pausedUntil()
        if (until > now && (earliest === undefined || until < earliest)) earliest = until
      }
      return earliest
    },
    invalidate: () => {
      validUntil = 0
    },
  }
}
