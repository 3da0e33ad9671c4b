/**
 * What one client was told lately, over all of its subscriptions: only what is read again after the loss of a node can come
 * twice, and that is of the last few blocks.
 */
export interface Told {
  /** For one subscription: whether it is told this for the first time. */
  enter(): (what: string) => boolean
  /** The chain has another block. */
  head(): void
}

/** Things that a client was told, of all its subscriptions together. The latter half of them is remembered in any case. */
export const MOST_TOLD = 20_000
/** For so many heads they are: more blocks than are read again, as those may be told behind their heads. */
const TOLD_HEADS = 8

export function createTold(most: number = MOST_TOLD): Told {
  // Two that take turns: to take the oldest out of one costs more the more were taken out before.
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
      if (heads >= TOLD_HEADS) turn()
    },
  }
}
