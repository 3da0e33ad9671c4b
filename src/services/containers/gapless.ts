import { steadyNow } from '../../lib/steady-clock.ts'

/** Number of containers from `from` (inclusive) to `below` (exclusive). */
export type CountContainers = (from: bigint, below: bigint) => Promise<bigint>

export interface Gapless {
  /** Whether nothing is missing below `end`; also false while a long index is still being counted. */
  reaches(end: bigint): Promise<boolean>
}

/** Counted in one query; takes a few milliseconds. */
const STEP = 50_000n
/** Counted while the request waits; more is counted in the background. */
const AT_ONCE = 200_000n
/** What seems to be a gap is counted again after this, milliseconds. */
const AGAIN_MS = 60_000

/**
 * Finds out once that an index has no gaps: containers are never deleted, so what was counted is not checked again. A
 * gap comes from blocks that were read by height from a node without an index, and is never filled. It may also seem
 * to be there for a while, where another server of the database tells of a later end than the one that counts.
 *
 * @param now milliseconds; steady
 */
export function createGapless(count: CountContainers, now: () => number = steadyNow): Gapless {
  let checked = 0n
  let gapUntil = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  const hasGap = (): boolean => now() < gapUntil
  const advance = async (end: bigint): Promise<void> => {
    while (checked < end && !hasGap()) {
      const below = checked + STEP < end ? checked + STEP : end
      if ((await count(checked, below)) === below - checked) checked = below
      else gapUntil = now() + AGAIN_MS
    }
  }
  /** One count at a time: two would interfere with each other. */
  const proceed = (end: bigint): Promise<void> => {
    running ??= advance(end).finally(() => {
      running = undefined
    })
    return running
  }
  return {
    async reaches(end) {
      if (end - checked > AT_ONCE) {
        proceed(end).catch(() => undefined)
        return false
      }
      while (checked < end && !hasGap()) await proceed(end)
      return checked >= end
    },
  }
}
