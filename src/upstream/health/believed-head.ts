import { steadyNow } from '../../lib/steady-clock.ts'

/** A head this far above all others, which agree among themselves, is ignored: it comes from a broken clock. */
export const ABSURD_LEAD = 10_000n

/** Whoever is heard first is believed; until this long after that others may show that it was wrong, milliseconds. */
const FIRST_MS = 60_000

/** Highest height that is plausible. */
export const believedHead = (heights: readonly bigint[], maxLag: number): bigint | undefined => {
  const sorted = [...heights].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
  const [first, second, third] = sorted
  if (first === undefined || second === undefined || third === undefined) return first
  return first - second > ABSURD_LEAD && second - third <= BigInt(maxLag) ? second : first
}

/** The time in which a head that one server alone has told may turn out to be wrong. */
export const createFirstTime = () => {
  let beganAt: number | undefined
  return {
    /** Later heads stay, whoever agrees on less: all others may be behind. */
    refutes: (head: bigint, best: bigint, heights: readonly bigint[]): boolean => {
      beganAt ??= steadyNow()
      const isOver = steadyNow() - beganAt > FIRST_MS
      return !isOver && head - best > ABSURD_LEAD && heights.some((height) => height >= head)
    },
  }
}
