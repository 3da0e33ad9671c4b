import { expect, test } from 'vitest'
import { type Attempt, readSettled } from '../../../../src/chains/avalanche/balances/settled-read.ts'
import { UpstreamUnavailableError } from '../../../../src/errors.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'

/** A node at one height, whoever is asked. */
const pool = { rpc: async () => ({ height: '12' }) } as unknown as UpstreamPool

test('the height of one node says nothing of when that one moved which stood in for it', async () => {
  const [first, second] = [{}, {}]
  let attempts = 0
  const value = await readSettled<number>(pool, ['P'], {}, async (callOf): Promise<Attempt<number>> => {
    attempts += 1
    const { answeredBy } = callOf('P')
    if (attempts === 1) answeredBy?.({ server: first, stoodIn: false, lags: false })
    answeredBy?.({ server: second, stoodIn: attempts === 1, lags: false })
    // Of the first reading one page; the second node's list has become longer meanwhile.
    return { value: attempts, manyCalls: attempts === 1 ? [] : ['P'], isTouchedBy: () => true }
  })
  expect(value).toBe(3)
})

/** Reads parts with these stamps, one attempt after the other; what counts is the number of the attempt. */
const attemptsOf = (stamps: readonly string[], recent?: string, standsIn = 0): Promise<number> => {
  const [first, second] = [{}, {}]
  let attempts = 0
  return readSettled<number>(
    pool,
    [],
    {},
    async (callOf): Promise<Attempt<number>> => {
      attempts += 1
      callOf('P').answeredBy?.({ server: first, stoodIn: false, lags: false })
      if (attempts === standsIn) callOf('P').answeredBy?.({ server: second, stoodIn: true, lags: false })
      return { value: attempts, manyCalls: [], stamp: stamps[attempts - 1], isTouchedBy: () => true }
    },
    recent,
  )
}

test.each([
  ['that is not known, once the next is the same', attemptsOf(['a', 'a']), 2],
  ['as that of a moment ago, at once', attemptsOf(['a'], 'a'), 1],
  ['other than that of a moment ago, once the next is the same', attemptsOf(['b', 'b'], 'a'), 2],
  ['that goes on changing, once it does not', attemptsOf(['a', 'b', 'c', 'b', 'b']), 5],
  ['in which one node stood in for another proves nothing', attemptsOf(['a', 'a', 'a'], undefined, 1), 3],
  ['of one node is not compared with that of another', attemptsOf(['a', 'a', 'a', 'a'], undefined, 2), 4],
])('a reading %s', async (_, attempts, expected) => {
  expect(await attempts).toBe(expected)
})

test('a reading that never was the same twice is an error', async () => {
  await expect(attemptsOf(['a', 'b', 'c', 'd', 'e', 'f'])).rejects.toThrow('the chain moved')
})

test('the second reading is of the node of the first; where that fails, two others are needed', async () => {
  const [first, second] = [{}, {}]
  const asked: unknown[] = []
  const value = await readSettled<number>(pool, [], {}, async (callOf): Promise<Attempt<number>> => {
    const { answeredBy, sameServer } = callOf('P')
    asked.push(sameServer)
    if (asked.length === 2) throw new UpstreamUnavailableError('connection refused')
    answeredBy?.({ server: asked.length === 1 ? first : second, stoodIn: false, lags: false })
    return { value: asked.length, manyCalls: [], stamp: 'a', isTouchedBy: () => true }
  })
  expect([value, asked]).toEqual([4, [undefined, first, undefined, second]])
  expect([asked[1] === first, asked[3] === second]).toEqual([true, true])
})
