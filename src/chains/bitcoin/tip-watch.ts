import { steadyNow } from '../../lib/steady-clock.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import { untilAborted } from '../../lib/waiting/until-aborted.ts'
import { believedHead } from '../../upstream/health/believed-head.ts'
import { createStopper } from './stopper.ts'

export interface TipWatchDeps<S> {
  subjects: readonly S[]
  /** Height of the newest block that the subject knows; undefined when it does not tell. May reject. */
  ask(subject: S, signal: AbortSignal): Promise<bigint | undefined>
  /** A subject that is more blocks than this behind the highest is too old to be used. */
  lagBlocks: number
}

/** Compares the heights of servers, or of kinds of servers. One that is stuck reports old balances. */
export interface TipWatch<S> {
  /** Marks the subjects as used: outdated heights are read again in the background. */
  touch(): void
  /** The subject told its height when it was last asked. */
  hasTold(subject: S): boolean
  /** The subject is known to be behind. */
  lags(subject: S): boolean
  /** The same; without recent heights, after a short wait for those under way. */
  isBehind(subject: S, signal: AbortSignal): Promise<boolean>
  close(): void
}

/** Heights are read this often while there are reads, as in the pools of REST servers. */
const INTERVAL_MS = 15_000
/** With older heights, an answer first waits for new ones, for `HOLD_MS` at most. */
const FORGOTTEN_MS = 60_000
const ANSWER_MS = 5_000
/** Longest wait for heights, milliseconds: a hanging server must not delay what others have answered. */
const HOLD_MS = 250

export const createTipWatch = <S>(deps: TipWatchDeps<S>): TipWatch<S> => {
  const { subjects, lagBlocks } = deps
  const heights = new Map<S, bigint>()
  const stopper = createStopper()
  let looking: Promise<unknown> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let heardAt = Number.NEGATIVE_INFINITY

  const look = async (subject: S): Promise<void> => {
    try {
      const height = await stopper.run((stop) =>
        deps.ask(subject, AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)])),
      )
      if (height === undefined) heights.delete(subject)
      else heights.set(subject, height)
    } catch {
      heights.delete(subject)
    }
  }
  const lookAtAll = async (): Promise<void> => {
    await Promise.all(subjects.map(look))
    heardAt = steadyNow()
    looking = undefined
  }
  const lags = (subject: S): boolean => {
    const own = heights.get(subject)
    const best = believedHead([...heights.values()], lagBlocks)
    return own !== undefined && best !== undefined && best - own > BigInt(lagBlocks)
  }

  return {
    touch() {
      if (subjects.length < 2 || looking || stopper.stopped || steadyNow() - askedAt < INTERVAL_MS) return
      askedAt = steadyNow()
      looking = lookAtAll()
    },
    hasTold: (subject) => heights.has(subject),
    lags,
    async isBehind(subject, signal) {
      if (looking && steadyNow() - heardAt > FORGOTTEN_MS) {
        const heard = inTime(looking, HOLD_MS, () => undefined)
        await untilAborted(heard, signal)
      }
      return lags(subject)
    },
    close: () => stopper.stop(),
  }
}
