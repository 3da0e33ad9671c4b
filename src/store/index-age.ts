import type { StreamProgress } from './rows/index.ts'

/** In place of a time where the nodes have another block than the stored tip. A genesis may be of the time 0. */
export const DISOWNED = -1n

/** How old what is stored of a stream is. */
export interface IndexAge {
  height: bigint
  /** Since it was last known to be the chain. */
  ageMs: number
  /** The nodes have another block at this height: it is of another chain, whatever its age. */
  disowned: boolean
}

/** Clocks of two machines may be so far apart, milliseconds. */
const SKEW_MS = 15_000

/**
 * Milliseconds since a moment. What was written by a clock that was ahead says nothing before its time comes: it counts as
 * being as old as it lies ahead, or a chain that stands still would look new for as long.
 *
 * @param atMs unix milliseconds, as `nowMs`
 */
export function ageOf(atMs: number, nowMs: number): number {
  const ageMs = nowMs - atMs
  if (ageMs >= 0) return ageMs
  return -ageMs <= SKEW_MS ? 0 : -ageMs
}

/** Undefined while nothing is committed. @param nowMs unix milliseconds */
export function indexAge({ tip, currentAtMs }: StreamProgress, nowMs: number): IndexAge | undefined {
  return tip && { height: tip.height, ageMs: ageOf(Number(currentAtMs), nowMs), disowned: currentAtMs === DISOWNED }
}

/** Whether nothing may be answered from it, whatever age is allowed where it is of another chain. */
export const isTooOld = ({ ageMs, disowned }: Pick<IndexAge, 'ageMs' | 'disowned'>, maxAgeMs: number): boolean =>
  disowned || ageMs > maxAgeMs

/**
 * Why nothing is answered from an index.
 *
 * @param subject `the index of …`
 * @param why what makes it matter where something else was asked for, beginning with a comma
 */
export function oldIndexText(
  subject: string,
  { height, ageMs, disowned }: IndexAge,
  maxAgeMs: number,
  why = '',
): string {
  if (disowned)
    return `${subject} is of another chain than that of the nodes${why}: their block ${height} is not its own`
  const limit = `at most ${Math.ceil(maxAgeMs / 1000)} s are served`
  return `${subject} is ${Math.ceil(ageMs / 1000)} s old (${limit})${why}; it stands at block ${height}`
}
