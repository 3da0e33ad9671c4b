import { setFlagsFromString } from 'node:v8'

/** Percent by which the heap may grow over what lived after the last collection before it is collected again. */
const PERCENT = 100

/**
 * An indexer makes garbage by the hundred megabytes a second, and V8 by itself lets the heap grow to as much as four times
 * what lives before it looks: 300 to 410 MB resident for the same chain, by chance. Twice costs a few percent of the
 * time and keeps it below 300. V8 reads this flag at each collection, so it may be set while it runs.
 */
export function boundHeapGrowth(set: (flag: string) => void = setFlagsFromString): void {
  set(`--heap-growing-percent=${PERCENT}`)
}
