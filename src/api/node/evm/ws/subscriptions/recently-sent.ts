/**
 * What one client was recently sent, over all its subscriptions: only what is read again after the loss of a node can
 * be sent twice, and that is of the last few blocks.
 */
export interface RecentlySent {
  /** For one subscription: whether this is sent for the first time. */
  enter(): (what: string) => boolean
  /** The chain has a new block. */
  head(): void
}

/** Entries remembered per client over all subscriptions. The newer half is always remembered. */
export const MOST_SENT = 20_000
/** Entries are kept for this many heads: more blocks than are read again, which may be sent after their heads. */
const SENT_HEADS = 8

export function createRecentlySent(most: number = MOST_SENT): RecentlySent {
  // Two sets that take turns: deleting the oldest entry of one set gets slower with every deletion.
  let latest = new Set<string>()
  let before = new Set<string>()
  let heads = 0
  let entered = 0
  const turn = (): void => {
    before = latest
    latest = new Set()
    heads = 0
  }
  return {
    enter: () => {
      entered += 1
      const own = entered
      return (what) => {
        const key = `${own} ${what}`
        if (latest.has(key) || before.has(key)) return false
        if (latest.size >= most / 2) turn()
        latest.add(key)
        return true
      }
    },
    head: () => {
      heads += 1
      if (heads >= SENT_HEADS) turn()
    },
  }
}
