import type { ReadContext } from '../../capabilities.ts'
import { callFailure, isToldTooMuch } from './call-failure.ts'
import type { CallQuery, ContractCall, ReadMethod } from './reader-types.ts'

/** Calls in one eth_call: 300 of the shortest are 8 kB, far below every node's limit. */
const CALLS_AT_ONCE = 300

export interface CallResults {
  /** In the order of the calls; undefined = it failed, or there is no code. */
  results: (Buffer | undefined)[]
  /** Height of the earliest block at which any of them ran; undefined when nothing was answered. */
  height: bigint | undefined
}

/**
 * Runs any number of calls, as many at once as the nodes accept. A single call that is too much for a node counts as
 * failed. Throws when the chain could not be read.
 */
export async function readCalls(
  reader: ReadMethod,
  query: Omit<CallQuery, 'calls'> & { calls: readonly ContractCall[] },
  context: ReadContext,
): Promise<CallResults> {
  const results: CallResults['results'] = []
  let height: CallResults['height']
  let size = CALLS_AT_ONCE
  while (results.length < query.calls.length) {
    const calls = query.calls.slice(results.length, results.length + size)
    try {
      const answer = await reader.calls({ ...query, calls }, context)
      const { number } = answer.block
      height = height === undefined || number < height ? number : height
      results.push(...answer.results)
      if (answer.done === 0) results.push(undefined)
    } catch (error) {
      if (callFailure(error) !== 'too-much') throw error
      if (calls.length === 1) {
        if (!isToldTooMuch(error)) throw error
        results.push(undefined)
      }
      size = Math.ceil(calls.length / 2)
    }
  }
  return { results, height }
}
