import { expect, it } from 'vitest'
import { evmLimits, type ReadMethod } from '../../../../src/chains/evm/index.ts'
import { noAnswers } from '../../../../src/chains/evm/read/reader-types.ts'
import { createBalanceSweep } from '../../../../src/chains/evm/sweep/balance-sweep.ts'
import { createUnreadableTokens } from '../../../../src/chains/evm/sweep/unreadable-tokens.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'

const OWNER = `0x${'11'.repeat(20)}`
const TOKENS = ['aa', 'bb'].map((byte) => `0x${byte.repeat(20)}`)

/** Two calls of one token each, at one height, of which each is answered on the branch that is next; balances tell it. */
function sweepOn(branches: readonly bigint[]) {
  let calls = 0
  const reader: ReadMethod = {
    name: 'branching',
    balances: async ({ tokens }) => {
      const branch = branches[calls % branches.length] ?? 0n
      calls += 1
      const amounts = tokens.map((_, token) => ({ owner: 0, token, value: branch }))
      return { block: { number: 100n, fingerprint: branch }, done: tokens.length, ...noAnswers(), amounts }
    },
    calls: () => Promise.reject(new Error('not asked')),
  }
  const limits = { ...evmLimits, pairsPerCall: 1, concurrency: 1 }
  const sweep = createBalanceSweep(reader, limits, createUnreadableTokens(10, 1_000))
  return {
    times: () => calls,
    read: () => sweep.read([{ owners: [OWNER], tokens: TOKENS }], readContext()),
  }
}

it('balances of two branches at one height are not put together: all are read again', async () => {
  const { read, times } = sweepOn([1n, 2n, 2n, 2n])
  const { amounts, errors } = await read()
  expect([...(amounts.get(OWNER)?.values() ?? [])]).toEqual([2n, 2n])
  expect(errors.size).toBe(0)
  expect(times()).toBe(4)
})

it('where servers stay on two branches there is no balance', async () => {
  const { read, times } = sweepOn([1n, 2n])
  await expect(read()).rejects.toThrow('upstreams disagree about block 100')
  expect(times()).toBe(6)
})
