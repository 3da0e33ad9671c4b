import { EVM_CODES, errorEntry, resultOf } from '../answers.ts'

/** A node stops executing a batch once its results have more bytes than this. */
export const MAX_BATCH_RESULTS = 25_000_000

/** The answer to a call after that limit. */
export const tooLarge = (id: Buffer | undefined): Buffer => errorEntry(id, EVM_CODES.tooLarge, 'response too large')

/** Counts the results of a batch; they must be added in the order of its calls. */
export interface ResultRoom {
  /** @param answer to a call, without a newline */
  add(answer: Buffer): void
  /** True once no further call is executed. */
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
      // While the total is small enough, it is not necessary to find where each result ends.
      if (added <= limit) return false
      for (const answer of uncounted.splice(0)) bytes += resultOf(answer)?.length ?? 0
      return bytes > limit
    },
  }
}
