import { BATCH_MEMORY_MS } from '../defaults.ts'

/** What one upstream has shown about batches on one path. */
export interface BatchLimit {
  /** Entries that may now be sent in one request. */
  items(now: number): number
  /** The upstream takes no batches here. */
  refused(now: number): void
  /** More than `most` entries are too many for the upstream. */
  tooMany(most: number, now: number): void
}

/** Limits are forgotten after a while: the upstream may have been changed, or may have refused for another reason. */
export const createBatchLimit = (most: number, onChange: (items: number) => void): BatchLimit => {
  let learned = most
  let until = 0
  const learn = (items: number, now: number): void => {
    learned = items
    until = now + BATCH_MEMORY_MS
    onChange(items)
  }
  return {
    items: (now) => {
      // Later than it can have been set to: the clock was set back.
      if (learned < most && (now >= until || until - now > BATCH_MEMORY_MS)) learned = most
      return learned
    },
    refused: (now) => {
      if (learned > 1) learn(1, now)
    },
    tooMany: (most, now) => {
      if (most < learned) learn(Math.max(1, most), now)
    },
  }
}
