import { EVM_CODES, errorEntry, resultOf } from '../answers.ts'

/** A node stops executing a batch once its results have more bytes than this. */
export const MAX_BATCH_RESULTS = 25_000_000

/** What a call is answered that stands behind them. */
export const tooLarge = (id: Buffer | undefined): Buffer => errorEntry(id, EVM_CODES.tooLarge, 'response too large')

/** Counts the results of a batch, which are to be added in the order of its calls. */
export interface ResultRoom {
  /** @param answer to a call, without a newline */
  add(answer: Buffer): void
  /** True once no call that stands behind is executed. */
  isFull(): boolean
}

export function createResultRoom(limit: number = MAX_BATCH_RESULTS): ResultRoom {
  const uncounted: Buffer[] = []
  let added = 0
  let bytes = 0
  return {
    add: (answer) => {
      added += answer.length
      uncounted.push(answer)
    },
    isFull: () => {
      // Where a result ends need not be looked for as long as everything together is small enough.
      if (added <= limit) return false
      for (const answer of uncounted.splice(0)) bytes += resultOf(answer)?.length ?? 0
      return bytes > limit
    },
  }
}
