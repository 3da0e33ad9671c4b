import { expect, it } from 'vitest'
import { evmLimits, NATIVE_TOKEN, type ReadMethod } from '../../../../src/chains/evm/index.ts'
import { noAnswers } from '../../../../src/chains/evm/read/reader-types.ts'
import { createBalanceSweep } from '../../../../src/chains/evm/sweep/balance-sweep.ts'
import { createSteadySweep } from '../../../../src/chains/evm/sweep/steady-sweep.ts'
import { createUnreadableTokens } from '../../../../src/chains/evm/sweep/unreadable-tokens.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../../src/errors.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'

const OWNER = `0x${'11'.repeat(20)}`

/** Servers behind one address: each call goes to the next of them, and each knows the chain up to its own height. */
function balanced(heights: bigint[]) {
  const calls: (bigint | undefined)[] = []
  let broken: Error | undefined
  const reader: ReadMethod = {
    name: 'balanced',
    balances: async ({ block, tokens }) => {
      const height = heights[calls.length % heights.length] ?? 0n
      calls.push(block)
      if (block !== undefined && broken) throw broken
      if (block !== undefined && block > height) throw new JsonRpcError('header not found', -32000, undefined, true)
      const number = block ?? height
      const amounts = tokens.map((_, token) => ({ owner: 0, token, value: number }))
      return { block: { number, fingerprint: number }, done: tokens.length, ...noAnswers(), amounts }
    },
    calls: () => Promise.reject(new Error('not asked')),
  }
  let now = 1_000
  const sweep = createSteadySweep(
    createBalanceSweep(reader, evmLimits, createUnreadableTokens(10, 1_000)),
    3,
    () => {},
    () => now,
  )
  return {
    calls,
    setHeights: (next: bigint[]) => heights.splice(0, heights.length, ...next),
    breakLater: (error: Error) => {
      broken = error
    },
    wait: (ms: number) => {
      now += ms
    },
    /** What the owner holds: the number of the block at which it was read. */
    async read() {
      const result = await sweep.read([{ owners: [OWNER], tokens: [NATIVE_TOKEN] }], readContext())
      return result.errors.get(OWNER)?.message ?? result.amounts.get(OWNER)?.get(NATIVE_TOKEN)
    },
  }
}

it('an answer from long before what was told is read again where that is known', async () => {
  const chain = balanced([100n, 20n])
  expect([await chain.read(), await chain.read(), await chain.read()]).toEqual([100n, 100n, 100n])
  expect(chain.calls).toEqual([undefined, undefined, 100n, undefined, 100n])
})

it('a few blocks are the ordinary difference between servers', async () => {
  const chain = balanced([100n, 97n])
  expect([await chain.read(), await chain.read()]).toEqual([100n, 97n])
  expect(chain.calls).toHaveLength(2)
})

it('differences between servers do not add up: the newest block stays the newest until there is a newer one', async () => {
  const chain = balanced([100n, 97n, 94n, 100n])
  expect([await chain.read(), await chain.read(), await chain.read()]).toEqual([100n, 97n, 100n])
  expect(chain.calls).toEqual([undefined, undefined, undefined, 100n])
})

it('a chain that went back is believed', async () => {
  const chain = balanced([100n])
  await chain.read()
  chain.setHeights([50n])
  expect(await chain.read()).toBe(50n)
  chain.setHeights([51n])
  const before = chain.calls.length
  expect(await chain.read()).toBe(51n)
  // Its former height is not asked for any more.
  expect(chain.calls.slice(before)).toEqual([undefined])
})

it('old news are an error while it cannot be found out, and after a minute none', async () => {
  const chain = balanced([100n])
  await chain.read()
  chain.setHeights([50n])
  chain.breakLater(new UpstreamUnavailableError('connection cut'))
  await expect(chain.read()).resolves.toBe('connection cut')
  chain.wait(60_000)
  expect(await chain.read()).toBe(50n)
})
