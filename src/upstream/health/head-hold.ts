import type { Scheduled, Scheduler } from '../calls/scheduler.ts'
import type { Task } from '../calls/task.ts'
import { failed, type Outcome } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** Longest wait of an answer for the others' heights, milliseconds: one hanging upstream must not block every chain. */
const HOLD_MS = 250

/** Holds the answers of a pool that has just woken up until it is known which upstreams lag. */
export interface HeadHold {
  /** Heights have been requested and are unknown until `known` is called. */
  begin(): void
  known(): void
  /** `launch`, but the answer of an upstream that turns out to lag is used only when no other upstream answers. */
  held<T>(launch: Task<T>['launch']): Task<T>['launch']
}

/**
 * Without heights all upstreams look equally good, so one that has been stuck for a day could answer the first read
 * after a start, or after an idle time in which no heights were watched.
 */
export const createHeadHold = (scheduler: Scheduler): HeadHold => {
  let waiting: (() => void)[] | undefined
  let end: Scheduled | undefined
  /** Some heights are still on their way, whether anybody waits for them or not. */
  let unknown = false

  const release = (): void => {
    const told = waiting ?? []
    waiting = undefined
    if (end) scheduler.cancel(end)
    end = undefined
    for (const tell of told) tell()
  }
  const known = (): void => {
    unknown = false
    release()
  }
  const whenKnown = (then: () => void): void => {
    if (!waiting) {
      then()
      return
    }
    waiting.push(then)
    // After this nobody waits any more, so a hanging upstream delays one caller, not all.
    end ??= scheduler.at(Date.now() + HOLD_MS, release)
  }

  return {
    begin: () => {
      unknown = true
      waiting ??= []
    },
    known,
    held: (launch) => (upstream, hedge, settle) => {
      if (!unknown) return launch(upstream, hedge, settle)
      let left = false
      const cancel = launch(upstream, hedge, (outcome) => {
        if (outcome.kind !== 'answer') settle(outcome)
        else
          whenKnown(() => {
            if (!left) settle(unknown ? unlessBegun(upstream, outcome) : unlessBehind(upstream, outcome))
          })
      })
      return (cause) => {
        left = true
        cancel(cause)
      }
    },
  }
}

const unlessBehind = <T>(upstream: Upstream, outcome: Outcome<T>): Outcome<T> => {
  if (!upstream.lagging()) return outcome
  const reason = `${upstream.lag()} blocks behind`
  return failed({ host: upstream.host, kind: 'behind', reason, fallback: outcome })
}

/** A node that has just started knows only the first block and answers zeros at once: wait longer for the others. */
const unlessBegun = <T>(upstream: Upstream, outcome: Outcome<T>): Outcome<T> => {
  if (upstream.height() !== 0n) return unlessBehind(upstream, outcome)
  const reason = 'has the first block only, and the heights of others are not known yet'
  return failed({ host: upstream.host, kind: 'behind', reason, fallback: outcome })
}
