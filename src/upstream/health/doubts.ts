import { steadyNow } from '../../lib/steady-clock.ts'
import { failed, type Outcome } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** Who said that it cannot know is asked again after this when somebody reads, milliseconds. */
const DOUBT_MS = 1_000

/** Why servers are not believed, as each said last (`HeadProbe.doubt`). */
export interface Doubts {
  told(upstream: Upstream, why: string | undefined): void
  /** It holds until the server says otherwise, whatever became of the questions meanwhile. */
  of(upstream: Upstream): Outcome<never> | undefined
  /** What it said long ago may be over: the read goes out beside the question, and `of` decides about its answer. */
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
      // It may be over before all are asked again.
      if (told.has(upstream) && age >= DOUBT_MS) ask(upstream)
      return age > ofLateMs ? undefined : of(upstream)
    },
  }
}
