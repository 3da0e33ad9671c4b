import { expect, test } from 'vitest'
import { type Attempt, readSettled } from '../../../../src/chains/avalanche/balances/settled-read.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'

/** A node at one height, whoever is asked. */
const pool = { rpc: async () => ({ height: '12' }) } as unknown as UpstreamPool

test('the height of one node says nothing of when that one moved which stood in for it', async () => {
  const [first, second] = [{}, {}]
  let attempts = 0
  const value = await readSettled<number>(pool, ['P'], {}, async (callOf): Promise<Attempt<number>> => {
    attempts += 1
    const { toldBy } = callOf('P')
    if (attempts === 1) toldBy?.({ server: first, stoodIn: false, lags: false })
    toldBy?.({ server: second, stoodIn: attempts === 1, lags: false })
    // Of the first reading one page; the second node's list has become longer meanwhile.
    return { value: attempts, manyCalls: attempts === 1 ? [] : ['P'], isTouchedBy: () => true }
  })
  expect(value).toBe(3)
})
