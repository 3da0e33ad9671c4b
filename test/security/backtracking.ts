import { lettersOf, type Pattern } from './patterns.ts'

/**
 * What a match may cost more than a plain walk over the same text. At the shortest length only exponential patterns
 * get that far, then cubic ones, at last quadratic ones: none takes long to be found.
 */
const TESTS = [
  { length: 18, mostTimes: 300 },
  { length: 256, mostTimes: 700 },
  { length: 4_096, mostTimes: 700 },
] as const
const BASELINE = /^[^\u0001]*$/

/** Nanoseconds, the best of some tries: others use this machine too. */
function costOf(regex: RegExp, text: string, enough = 0): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 8; attempt += 1) {
    regex.lastIndex = 0
    const begin = process.hrtime.bigint()
    if (regex.global) text.replace(regex, '')
    else regex.test(text)
    best = Math.min(best, Number(process.hrtime.bigint() - begin))
    if (best <= enough || (attempt > 1 && best > 50_000_000)) break
  }
  return best
}

/** A walk takes no less than this, nanoseconds a character: clocks are coarse. */
const WALK_NS = 2

/** Texts that make a backtracking matcher try again: much of the same, two in turn, and an end that fits nothing. */
function* attacks(regex: RegExp, length: number): Generator<string> {
  const letters = lettersOf(regex).slice(0, 20)
  const start = /^\^?((?:\\[^a-zA-Z0-9]|[^\\[(.*+?{|^$])+)/.exec(regex.source)?.[1]?.replaceAll('\\', '') ?? ''
  for (const [index, letter] of letters.entries()) {
    const other = letters[(index + 1) % letters.length] ?? 'a'
    const words = letters.filter(({ length: size }) => size > 2).slice(0, 2)
    for (const part of [letter, letter + other, ...words.map((word) => letter + word)])
      yield `${start}${part.repeat(Math.ceil(length / part.length))}\u0001\n`
  }
}

/** Undefined = linear as far as these texts can tell. */
export function problemOf({ place, regex }: Pattern): string | undefined {
  for (const { length, mostTimes } of TESTS) {
    const plain = Math.max(costOf(BASELINE, 'a'.repeat(length)), WALK_NS * length)
    for (const text of attacks(regex, length)) {
      const times = costOf(regex, text, plain * mostTimes) / plain
      if (times > mostTimes)
        return `${place} ${regex}: ${Math.round(times)} × a walk over ${JSON.stringify(text.slice(0, 12))}…`
    }
  }
  return undefined
}
