/** Numbers that look random and are the same for the same seed, so that a wrong number can be looked at again. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  /** 0 to below 1 (mulberry32). */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  /** 0 to below `end`. */
  const below = (end: number): number => Math.floor(next() * end)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  return {
    below,
    pick,
    /** `first` to `last`, both included. */
    between: (first: number, last: number): number => first + below(last - first + 1),
    chance: (share: number): boolean => next() < share,
    /** Some of a list, each at most once, in any order. */
    some<T>(list: readonly T[], most: number): T[] {
      const left = [...list]
      const taken: T[] = []
      for (let count = Math.min(most, left.length); count > 0; count--) {
        taken.push(left.splice(below(left.length), 1)[0] as T)
      }
      return taken
    },
    list: <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at)),
    bytes: (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}

export type Random = ReturnType<typeof createRandom>
