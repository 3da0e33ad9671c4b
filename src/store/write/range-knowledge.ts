import type { RangeRows } from '../rows/index.ts'
import { planRange, type RangePlan } from './range-plan.ts'
import type { StreamTarget } from './stream-rows.ts'

/**
 * Knowledge of the database from earlier commits, so that the next range can be planned before the last one is written.
 */
export interface RangeKnowledge {
  /** Plans a range that follows all planned or written ones. Does nothing while too little is known. */
  plan(name: string, rows: RangeRows): void
  /** The plan of these rows, if it was made for the stream's current state. */
  planOf(stream: StreamTarget, rows: RangeRows): RangePlan | undefined
  /** Numbers of a network's assets. */
  numbers(network: number | undefined): ReadonlyMap<string, number>
  /** Call this when a range is committed: with the stream's previous state, and new asset numbers. */
  learn(written: WrittenRange): void
  /** Call this whenever another process may have changed the database. */
  forget(): void
}

export interface WrittenRange {
  stream: StreamTarget
  /** Transactions of the range. */
  transactions: bigint
  numbers: ReadonlyMap<string, number>
}

export const countTransactions = (rows: RangeRows): bigint => BigInt(rows.primary?.transactions?.length ?? 0)

export function createRangeKnowledge(): RangeKnowledge {
  /** Their state once everything planned is written. */
  const streams = new Map<string, StreamTarget>()
  const assets = new Map<number, Map<string, number>>()
  let plans = new WeakMap<RangeRows, RangePlan>()
  const numbers = (network: number | undefined): Map<string, number> => {
    const known = (network === undefined ? undefined : assets.get(network)) ?? new Map<string, number>()
    if (network !== undefined) assets.set(network, known)
    return known
  }
  return {
    plan(name, rows) {
      const stream = streams.get(name)
      if (stream === undefined) return
      plans.set(rows, planRange(stream, numbers(stream.primary?.network), rows))
      streams.set(name, { ...stream, transactions: stream.transactions + countTransactions(rows) })
    },
    planOf(stream, rows) {
      const plan = plans.get(rows)
      return plan?.primary === undefined || plan.primary.first === stream.transactions ? plan : undefined
    },
    numbers,
    learn({ stream, transactions, numbers: given }) {
      const known = numbers(stream.primary?.network)
      for (const [id, number] of given) known.set(id, number)
      const after = stream.transactions + transactions
      const expected = streams.get(stream.name)
      // Further ranges may be planned already, but never fewer transactions than are written.
      if (expected === undefined || expected.transactions < after) {
        streams.set(stream.name, { ...stream, transactions: after })
      }
    },
    forget() {
      streams.clear()
      assets.clear()
      plans = new WeakMap()
    },
  }
}
