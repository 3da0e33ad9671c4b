import { expect, it } from 'vitest'
import type { RangeRows } from '../../../../src/store/index.ts'
import { createRangeKnowledge } from '../../../../src/store/write/range/range-knowledge.ts'
import { id } from '../range-samples.ts'

const NAME = 'testnet:P'

const rowsOf = (transactions: number): RangeRows => ({
  primary: {
    transactions: Array.from({ length: transactions }, (_, position) => ({
      id: id(position + 1),
      height: 1n,
      position,
      type: 0,
      time: 1n,
    })),
  },
})

/** Writes ranges as the runner does: each is planned while the one before is still being written. */
function writer() {
  const knowledge = createRangeKnowledge()
  let stored = 0n
  let underWay: RangeRows | undefined
  const stream = () => ({
    id: 1,
    name: NAME,
    testnet: true,
    transactions: stored,
    primary: { network: 1, letter: 'P' as const },
  })
  const finish = (): void => {
    if (!underWay) return
    const transactions = BigInt(underWay.primary?.transactions?.length ?? 0)
    knowledge.learn({ stream: stream(), transactions, numbers: new Map() })
    stored += transactions
  }
  return {
    knowledge,
    /** Whether the range was written as planned. */
    write(transactions: number): boolean {
      const rows = rowsOf(transactions)
      knowledge.plan(NAME, rows)
      finish()
      underWay = rows
      return knowledge.planOf(stream(), rows) !== undefined
    },
  }
}

it('a range is planned for the place that it gets, from the first one on that follows a written one', () => {
  const { write } = writer()
  // Of the first two nothing is known yet: the first one is still being written when the second one comes.
  expect([3, 1, 4, 0, 5, 9, 2, 6].map(write)).toEqual([false, false, true, true, true, true, true, true])
})

it('and again soon after another stream began anew', () => {
  const { write, knowledge } = writer()
  for (const transactions of [3, 1, 4]) write(transactions)
  knowledge.forget('testnet:X')
  expect([1, 5, 9, 2].map(write)).toEqual([false, true, true, true])
})

it('what was planned and never written does not count when the stream begins anew', () => {
  const { write, knowledge } = writer()
  for (const transactions of [3, 1, 4]) write(transactions)
  knowledge.plan(NAME, rowsOf(7))
  knowledge.forget(NAME)
  expect([0, 5, 9, 2].map(write)).toEqual([false, true, true, true])
})

it('plans and numbers of assets of before a stream begins anew are none after it: another process may have written', () => {
  const knowledge = createRangeKnowledge()
  const stream = { id: 1, name: NAME, testnet: true, transactions: 0n, primary: { network: 1, letter: 'P' as const } }
  knowledge.learn({ stream, transactions: 0n, numbers: new Map([[id(7), 5]]) })
  const rows = rowsOf(2)
  knowledge.plan(NAME, rows)
  expect([knowledge.planOf(stream, rows) === undefined, knowledge.numbers(1).get(id(7))]).toEqual([false, 5])
  knowledge.forget(NAME)
  expect([knowledge.planOf(stream, rows), knowledge.numbers(1).get(id(7))]).toEqual([undefined, undefined])
})
