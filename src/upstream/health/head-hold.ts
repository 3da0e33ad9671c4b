import type { Task } from '../calls/read-run.ts'
import type { Scheduled, Scheduler } from '../calls/scheduler.ts'
import { failed, type Outcome } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'

/** Longest wait of an answer for the heights of the others, milliseconds: one that hangs must not hold up every chain. */
const HOLD_MS = 250

/** Holds the answers of a pool that has just been woken until it is known who lags. */
export interface HeadHold {
  /** Heights are being asked for and not known before `known` is called. */
  begin(): void
  known(): void
  /** `launch` whose answer, where its upstream turns out to lag, is only taken when nobody else answers. */
  held<T>(launch: Task<T>['launch']): Task<T>['launch']
}

/**
 * Before the first heights are known the first upstream is as good as any, so that one that has stood still for a day
 * would answer the first read after a start, or after a pause in which nobody was watched.
 */
export const createHeadHold = (scheduler: Scheduler): HeadHold => {
  let waiting: (() => void)[] | undefined
  let end: Scheduled | undefined
  /** Heights of some are on their way, whether anybody waits for them or not. */
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
    // From then on nobody waits any more, so that one that hangs costs one caller's time, not everybody's.
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

/** A node that has only begun knows no block but the first, and answers zeros at once: that is longer waited for. */
const unlessBegun = <T>(upstream: Upstream, outcome: Outcome<T>): Outcome<T> => {
  if (upstream.height() !== 0n) return unlessBehind(upstream, outcome)
  const reason = 'has the first block only, and the heights of others are not known yet'
  return failed({ host: upstream.host, kind: 'behind', reason, fallback: outcome })
}
