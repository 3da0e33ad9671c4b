/** Bounds hedging: when every upstream is slow, sending everything twice would make it worse. */
export interface HedgeBudget {
  /** Counts one read. */
  earn(): void
  /** Pays for one hedge, or says no. */
  spend(): boolean
}

export const createHedgeBudget = (readsPerHedge: number): HedgeBudget => {
  let saved = readsPerHedge * readsPerHedge
  const most = saved
  return {
    earn: () => {
      if (saved < most) saved += 1
    },
    spend: () => {
      if (saved < readsPerHedge) return false
      saved -= readsPerHedge
      return true
    },
  }
}
