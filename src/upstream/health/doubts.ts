import { steadyNow } from '../../lib/steady-clock.ts'
import { failed, type Outcome } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** An upstream that said it cannot know is asked again, when there is a read, after this many milliseconds. */
const DOUBT_MS = 1_000

/** Why servers are not believed, by what each said last (`HeadProbe.doubt`). */
export interface Doubts {
  told(upstream: Upstream, why: string | undefined): void
  /** Holds until the server says otherwise, even if later probes failed. */
  of(upstream: Upstream): Outcome<never> | undefined
  /** An old doubt may be over: the read is then sent beside the probe, and `of` decides whether its answer counts. */
  ofLate(upstream: Upstream): Outcome<never> | undefined
}

export const createDoubts = (ofLateMs: number, ask: (upstream: Upstream) => void): Doubts => {
  const told = new WeakMap<Upstream, { why: string; at: number }>()
  const of = (upstream: Upstream): Outcome<never> | undefined => {
    const doubt = told.get(upstream)
    return doubt && failed({ host: upstream.host, kind: 'behind', reason: doubt.why, neverSent: true })
  }
  return {
    told(upstream, why) {
      if (why === undefined) told.delete(upstream)
      else told.set(upstream, { why, at: steadyNow() })
    },
    of,
    ofLate(upstream) {
      const age = steadyNow() - (told.get(upstream)?.at ?? 0)
      // The doubt may be over before the next regular probe.
      if (told.has(upstream) && age >= DOUBT_MS) ask(upstream)
      return age > ofLateMs ? undefined : of(upstream)
    },
  }
}
