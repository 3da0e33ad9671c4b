import { ABSENT_MS, LEFT_MS } from '../defaults.ts'

/** What an upstream has said about the one place where its pool asks; in pools without one it counts as present. */
export interface Presence {
  /** It said recently that it serves nothing there. */
  absent(): boolean
  /** It has served something there, and has not said otherwise since. */
  serves(): boolean
  /** It has served something there lately, and says now that it does not: as a node that has just been started anew. */
  left(): boolean
  /** It has said neither, or the pool has no single place. */
  unknown(): boolean
  sawPlace(isThere: boolean): void
}

/** @param onChange called when the value of `absent` changes */
export const createPresence = (onChange: () => void, now: () => number = Date.now): Presence => {
  let saidAt: number | undefined
  let serves = false
  let servedAt = Number.NEGATIVE_INFINITY
  const absent = (): boolean => {
    // Negative: the clock was set back.
    const age = saidAt === undefined ? ABSENT_MS : now() - saidAt
    return age >= 0 && age < ABSENT_MS
  }
  return {
    absent,
    serves: () => serves,
    left: () => !serves && Math.abs(now() - servedAt) < LEFT_MS,
    unknown: () => !serves && saidAt === undefined,
    sawPlace: (isThere) => {
      if (isThere) servedAt = now()
      if (isThere && serves) return
      const before = absent()
      serves = isThere
      saidAt = isThere ? undefined : now()
      if (before === isThere) onChange()
    },
  }
}
