/** Weight of the newest read in the mean. */
const WEIGHT = 0.5

/** How long recent reads of each chain took. There are as many entries as chains. */
export function createReadTimes() {
  const means = new Map<string, number>()
  return {
    /** Milliseconds; Infinity = not known yet. */
    of: (caip2Id: string): number => means.get(caip2Id) ?? Number.POSITIVE_INFINITY,
    add(caip2Id: string, ms: number): void {
      const before = means.get(caip2Id)
      means.set(caip2Id, before === undefined ? ms : before + (ms - before) * WEIGHT)
    },
  }
}
