import type { RangeRows } from '../../rows/index.ts'
import type { StreamTarget } from '../stream-rows.ts'
import { planRange, type RangePlan } from './range-plan.ts'

/**
 * Knowledge of the database from earlier commits, so that the next range can be planned before the last one is written.
 */
export interface RangeKnowledge {
  /** Plans a range that follows all that were given here before; only counts it while too little is known. */
  plan(name: string, rows: RangeRows): void
  /** The plan of these rows, if it was made for the stream's current state. */
  planOf(stream: StreamTarget, rows: RangeRows): RangePlan | undefined
  /** Numbers of a network's assets. */
  numbers(network: number | undefined): ReadonlyMap<string, number>
  /** Call this when a range is committed: with the stream's previous state, and new asset numbers. */
  learn(written: WrittenRange): void
  /** Call this when a stream begins anew, and another process may have changed the database meanwhile. */
  forget(name: string): void
}

export interface WrittenRange {
  stream: StreamTarget
  /** Transactions of the range. */
  transactions: bigint
  numbers: ReadonlyMap<string, number>
}

export const countTransactions = (rows: RangeRows): bigint => BigInt(rows.primary?.transactions?.length ?? 0)

export function createRangeKnowledge(): RangeKnowledge {
  /** After the last range that was written. */
  const streams = new Map<string, StreamTarget>()
  /**
   * Transactions of ranges that were given to `plan` and are not written yet, by stream: the next range is given while
   * the last one is being written, so it is numbered behind both.
   */
  const ahead = new Map<string, bigint>()
  const assets = new Map<number, Map<string, number>>()
  let plans = new WeakMap<RangeRows, RangePlan>()
  const numbers = (network: number | undefined): Map<string, number> => {
    const known = (network === undefined ? undefined : assets.get(network)) ?? new Map<string, number>()
    if (network !== undefined) assets.set(network, known)
    return known
  }
  return {
    plan(name, rows) {
      const before = ahead.get(name) ?? 0n
      ahead.set(name, before + countTransactions(rows))
      const stream = streams.get(name)
      if (stream === undefined) return
      const target = { ...stream, transactions: stream.transactions + before }
      plans.set(rows, planRange(target, numbers(stream.primary?.network), rows))
    },
    planOf(stream, rows) {
      const plan = plans.get(rows)
      return plan?.primary === undefined || plan.primary.first === stream.transactions ? plan : undefined
    },
    numbers,
    learn({ stream, transactions, numbers: given }) {
      const known = numbers(stream.primary?.network)
      for (const [id, number] of given) known.set(id, number)
      streams.set(stream.name, { ...stream, transactions: stream.transactions + transactions })
      const left = (ahead.get(stream.name) ?? 0n) - transactions
      // Ranges may be written that were never planned.
      ahead.set(stream.name, left > 0n ? left : 0n)
    },
    forget(name) {
      // What other streams are about to write is still to come.
      ahead.delete(name)
      streams.clear()
      assets.clear()
      plans = new WeakMap()
    },
  }
}
