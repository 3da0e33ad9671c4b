/** Whether a server says nothing while others answer what it was asked. */
export interface Silence {
  /** It has answered something. */
  spoke(): void
  /** Another has answered what it was asked, too, and has not answered yet. */
  outpaced(): void
  /** It was outpaced after this moment, and has answered nothing since. @param moment of `performance.now()` */
  silentSince(moment: number): boolean
}

export const createSilence = (now: () => number = () => performance.now()): Silence => {
  let [spokeAt, outpacedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return {
    spoke: () => {
      spokeAt = now()
    },
    outpaced: () => {
      outpacedAt = now()
    },
    silentSince: (moment) => outpacedAt >= moment && spokeAt < moment,
  }
}
