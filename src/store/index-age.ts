import type { StreamProgress } from './rows/index.ts'

/** Stored instead of a time if the nodes have another block than the stored tip. A genesis may have the time 0. */
export const DISOWNED = -1n

/** The age of a stream's stored data. */
export interface IndexAge {
  height: bigint
  /** Time since it was last known to match the chain. */
  ageMs: number
  /** The nodes have another block at this height: the data is of another chain, whatever its age. */
  disowned: boolean
}

/** Largest accepted difference between the clocks of two machines, milliseconds. */
const SKEW_MS = 15_000

/**
 * Milliseconds since a time. A future time was written by a clock that was ahead: its age is its distance, or a chain
 * that stands still would look new for as long.
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

/** Whether no answers may use it; data of another chain is refused whatever age is allowed. */
export const isTooOld = ({ ageMs, disowned }: Pick<IndexAge, 'ageMs' | 'disowned'>, maxAgeMs: number): boolean =>
  disowned || ageMs > maxAgeMs

/**
 * Explains why nothing is answered from an index.
 *
 * @param subject `the index of …`
 * @param why why it matters for a request about something else, beginning with a comma
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
