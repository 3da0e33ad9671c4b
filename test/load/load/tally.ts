import { median } from '../balances/figures.ts'

/** How an answer was: right, refused with the words for it, broken off, or not what is true. */
export type Outcome = 'right' | 'refused' | 'left' | 'broken' | 'wrong' | 'unread'

export interface Visit {
  outcome: Outcome
  /** From sending to the end of the answer, milliseconds; of those who leave, until they left. */
  ms: number
  /** What was found instead, for those that are not right. */
  found?: string
  /** A refusal must say when to come back. */
  retryAfter?: boolean
}

/** Counts of everything that happened to one kind of traffic. */
export interface Tally {
  add(kind: string, visit: Visit): void
  count(outcome: Outcome): number
  refusedWithoutRetryAfter(): number
  /** Lines for people: per kind how often, p50 and p99 of whole answers. */
  lines(): string[]
  /** The first few of each kind that were not right, with the second in which they ended. */
  examples(): string[]
}

const MOST_EXAMPLES = 3

export function createTally(): Tally {
  const times = new Map<string, number[]>()
  const counts = new Map<string, number>()
  const found: { key: string; text: string }[] = []
  const start = Date.now()
  let without = 0
  const sum = (outcome: Outcome): number =>
    [...counts].reduce((all, [key, count]) => (key.endsWith(`: ${outcome}`) ? all + count : all), 0)
  return {
    add(kind, visit) {
      const key = `${kind}: ${visit.outcome}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (visit.outcome === 'right') {
        const known = times.get(kind)
        if (known) known.push(visit.ms)
        else times.set(kind, [visit.ms])
      }
      if (visit.outcome === 'refused' && !visit.retryAfter) without += 1
      if (visit.found !== undefined && found.filter((one) => one.key === key).length < MOST_EXAMPLES)
        found.push({ key, text: `after ${Math.round((Date.now() - start) / 1_000)} s: ${visit.found}` })
    },
    count: sum,
    refusedWithoutRetryAfter: () => without,
    lines: () => [
      ...[...times].sort().map(([kind, all]) => timesLine(kind, all)),
      ...[...counts]
        .filter(([key]) => !key.endsWith(': right'))
        .sort()
        .map(([key, count]) => `  ${key}: ${count}`),
    ],
    examples: () => found.map(({ key, text }) => `${key}, ${text}`),
  }
}

function timesLine(kind: string, all: number[]): string {
  const sorted = all.sort((a, b) => a - b)
  const p99 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN
  return `  ${kind}: ${all.length} right, p50 ${median(sorted).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
}
