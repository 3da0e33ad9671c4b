import { expect, it } from 'vitest'
import { indexAge, isTooOld, oldIndexText } from '../../src/store/index.ts'

const progressAt = (currentAtMs: bigint) => ({
  stream: 'mainnet:P',
  tip: { height: 7n, blockId: '07', time: 1n },
  transactions: 0n,
  currentAtMs,
})

it('tells how old an index is, and why nothing is answered from it', () => {
  const old = indexAge(progressAt(1_000n), 601_500)
  expect(old).toEqual({ height: 7n, ageMs: 600_500, disowned: false })
  expect(old && [isTooOld(old, 600_500), isTooOld(old, 600_499)]).toEqual([false, true])
  expect(old && oldIndexText('the index of P', old, 300_000)).toBe(
    'the index of P is 601 s old (at most 300 s are served); it stands at block 7',
  )
})

it('one of another chain is no younger for having been current a moment ago', () => {
  const other = indexAge(progressAt(-1n), 1_700_000_000_000)
  expect(other).toEqual({ height: 7n, ageMs: 1_700_000_000_001, disowned: true })
  expect(other && isTooOld(other, Number.MAX_SAFE_INTEGER)).toBe(true)
  expect(other && oldIndexText('the index of P', other, 300_000, ', and it matters')).toBe(
    'the index of P is of another chain than that of the nodes, and it matters: their block 7 is not its own',
  )
})

it('one that was current in a time to come, by a clock that was ahead, is as old as that is far away', () => {
  const ahead = indexAge(progressAt(86_400_000n), 1_000)
  expect(ahead).toEqual({ height: 7n, ageMs: 86_399_000, disowned: false })
  expect(ahead && isTooOld(ahead, 300_000)).toBe(true)
  // Clocks of two machines are never quite the same.
  expect(indexAge(progressAt(16_000n), 1_000)).toMatchObject({ ageMs: 0 })
  expect(indexAge(progressAt(16_001n), 1_000)).toMatchObject({ ageMs: 15_001 })
})

it('a genesis of the time 0, as that of C, is old and of its own chain', () => {
  expect(indexAge(progressAt(0n), 1_700_000_000_000)).toMatchObject({ disowned: false })
})

it('is nothing before the first block', () => {
  expect(indexAge({ stream: 'mainnet:P', transactions: 0n, currentAtMs: 0n }, 5)).toBeUndefined()
})
