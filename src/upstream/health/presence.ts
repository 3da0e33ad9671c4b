import { ABSENT_MS } from '../defaults.ts'

/** What an upstream has said of the one place that its pool asks at; without such a pool it is taken to be there. */
export interface Presence {
  /** It serves nothing there, as it said not long ago. */
  absent(): boolean
  /** It does, as it has shown, and has not said otherwise since. */
  serves(): boolean
  /** It has said neither, or nothing is asked of it but what belongs to many places. */
  unknown(): boolean
  sawPlace(isThere: boolean): void
}

/** @param onChange called when what `absent` says is another than before */
export const createPresence = (onChange: () => void, now: () => number = Date.now): Presence => {
  let saidAt: number | undefined
  let serves = false
  const absent = (): boolean => {
    // Further away than it was ever put: the clock was set back.
    const age = saidAt === undefined ? ABSENT_MS : now() - saidAt
    return age >= 0 && age < ABSENT_MS
  }
  return {
    absent,
    serves: () => serves,
    unknown: () => !serves && saidAt === undefined,
    sawPlace: (isThere) => {
      if (isThere && serves) return
      const before = absent()
      serves = isThere
      saidAt = isThere ? undefined : now()
      if (before === isThere) onChange()
    },
  }
}
