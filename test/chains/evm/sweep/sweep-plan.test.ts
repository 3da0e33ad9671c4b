import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BALANCE_QUERY_BYTES, MAX_OWNERS, packBalanceQuery } from '../../../../src/chains/evm/read/packing.ts'
import { halves, inParts, plan, type Rectangle } from '../../../../src/chains/evm/sweep/sweep-plan.ts'

const addresses = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `0x${prefix}${index.toString(16).padStart(38, '0')}`)
const rectangle = (owners: number, tokens: number): Rectangle => ({
  owners: addresses('0a', owners),
  tokens: addresses('0b', tokens),
})
const pairsOf = (rectangles: readonly Rectangle[]): string[] =>
  rectangles.flatMap(({ owners, tokens }) => owners.flatMap((owner) => tokens.map((token) => `${owner} ${token}`)))
const expectSamePairs = (parts: readonly Rectangle[], whole: Rectangle): void =>
  expect(pairsOf(parts).toSorted()).toEqual(pairsOf([whole]).toSorted())
const bytesOf = ({ owners, tokens }: Rectangle): number =>
  packBalanceQuery({ owners, tokens, gas: 1, answerBytes: 1 }).length / 2 - 1

const sizes = { owners: fc.integer({ min: 1, max: 600 }), tokens: fc.integer({ min: 0, max: 30 }) }

it('calls ask for each pair once, for no more pairs than a call may, and are no longer than a request may be', () => {
  fc.assert(
    fc.property(fc.record({ ...sizes, pairs: fc.integer({ min: 1, max: 900 }) }), ({ owners, tokens, pairs }) => {
      const whole = rectangle(owners, tokens)
      // Room for the most owners and one token at least: a call cannot be smaller.
      const requestBytes = BALANCE_QUERY_BYTES + 20 * (MAX_OWNERS + 5)
      const calls = plan(whole, pairs, requestBytes)
      expectSamePairs(calls, whole)
      for (const call of calls) {
        expect(call.owners.length * call.tokens.length).toBeLessThanOrEqual(pairs)
        expect(bytesOf(call)).toBeLessThanOrEqual(requestBytes)
      }
    }),
  )
})

it('calls are as few as that allows, and of much the same length', () => {
  const sizesOf = (calls: readonly Rectangle[]) => calls.map(({ owners, tokens }) => [owners.length, tokens.length])
  expect(sizesOf(plan(rectangle(2, 10), 20, 1e6))).toEqual([[2, 10]])
  expect(sizesOf(plan(rectangle(2, 11), 20, 1e6))).toEqual([
    [2, 6],
    [2, 5],
  ])
  expect(sizesOf(plan(rectangle(300, 1), 1_000, 1e6))).toEqual([
    [253, 1],
    [47, 1],
  ])
  // Two owners leave room for three tokens.
  expect(sizesOf(plan(rectangle(2, 3), 1_000, BALANCE_QUERY_BYTES + 100))).toEqual([[2, 3]])
  expect(sizesOf(plan(rectangle(2, 4), 1_000, BALANCE_QUERY_BYTES + 119))).toEqual([
    [2, 2],
    [2, 2],
  ])
  expect(sizesOf(plan(rectangle(2, 2), 1_000, 1))).toEqual([
    [2, 1],
    [2, 1],
  ])
})

it('halves and parts hold each pair once', () => {
  fc.assert(
    fc.property(fc.record({ ...sizes, parts: fc.integer({ min: 1, max: 20 }) }), ({ owners, tokens, parts }) => {
      const whole = rectangle(owners, tokens)
      const split = inParts(whole, parts)
      expectSamePairs(split, whole)
      expect(split.length).toBeLessThanOrEqual(parts)
      if (owners * tokens <= 1) return
      const [first, second, ...more] = halves(whole)
      if (tokens > 0) expectSamePairs(halves(whole), whole)
      expect([more.length, first?.owners.length === 0, second?.owners.length === 0]).toEqual([0, false, false])
    }),
  )
  expect(halves(rectangle(1, 1))).toEqual([])
})
