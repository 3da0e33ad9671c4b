import { setFlagsFromString } from 'node:v8'

/** Growth of the heap over its live size after the last collection, in percent, that triggers the next collection. */
const PERCENT = 100

/**
 * An indexer creates hundreds of megabytes of garbage a second, and by default V8 lets the heap grow to up to four
 * times the live size before it collects: 300 to 410 MB resident for the same chain, by chance. Twice the live size
 * costs a few percent of the time and keeps it below 300. V8 reads this flag at each collection, so it may be set at
 * run time.
 */
export function boundHeapGrowth(set: (flag: string) => void = setFlagsFromString): void {
  set(`--heap-growing-percent=${PERCENT}`)
}
