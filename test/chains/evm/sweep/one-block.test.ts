import { decodeFunctionData, encodeFunctionResult, type Hex, isAddressEqual, padHex, parseAbi, toHex } from 'viem'
import { expect, it } from 'vitest'
import { createEvmReader, evmLimits, type ReadMethod } from '../../../../src/chains/evm/index.ts'
import { noAnswers } from '../../../../src/chains/evm/read/reader-types.ts'
import { createBalanceSweep } from '../../../../src/chains/evm/sweep/balance-sweep.ts'
import { createUnreadableTokens } from '../../../../src/chains/evm/sweep/unreadable-tokens.ts'
import { JsonRpcError } from '../../../../src/errors.ts'
import type { UpstreamPool } from '../../../../src/upstream/index.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'

const multicall3 = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])
const MULTICALL: Hex = `0x${'ca'.repeat(20)}`
const BURNING: Hex = `0x${'ff'.repeat(20)}`
/** Number, hash of the block before, time and chain, by their selectors. */
const MARKS: Readonly<Record<string, (branch: bigint) => bigint>> = {
  '0x42cbb15c': () => 100n,
  '0x27e86d6e': (branch) => branch,
  '0x0f28c97d': () => 0n,
  '0x3408e470': () => 1n,
}
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

/** Multicall3 alone is run. One token burns gas, so a multicall of all is read again in halves; each answer is of the branch that is next. */
function multicallOn(branches: readonly bigint[]) {
  let calls = 0
  const rpc = async (_path: string, _method: string, [{ to, data }]: [{ to?: Hex; data: Hex }]) => {
    if (to !== MULTICALL) throw new JsonRpcError('not here', -32602)
    const branch = branches[Math.min(calls, branches.length - 1)] ?? 0n
    calls += 1
    const [asked] = decodeFunctionData({ abi: multicall3, data }).args
    const isStarved = asked.some(({ target }) => isAddressEqual(target, BURNING))
    const said = ({ target, callData }: (typeof asked)[number]): bigint | undefined => {
      const mark = MARKS[callData.slice(0, 10)]
      if (mark) return mark(branch)
      if (isAddressEqual(target, BURNING)) return undefined
      if (isAddressEqual(target, MULTICALL)) return isStarved ? undefined : 0n
      return TOKENS.includes(target.toLowerCase()) ? branch : undefined
    }
    const results = asked.map((call) => {
      const value = said(call)
      return { success: value !== undefined, returnData: value === undefined ? '0x' : padHex(toHex(value)) } as const
    })
    return encodeFunctionResult({ abi: multicall3, functionName: 'aggregate3', result: results })
  }
  const pool = { rpc } as unknown as UpstreamPool
  const reader = createEvmReader({ caip2Id: 'eip155:1', pool, multicall: MULTICALL })
  const sweep = createBalanceSweep(reader, evmLimits, createUnreadableTokens(10, 1_000))
  return sweep.read([{ owners: [OWNER], tokens: [...TOKENS, BURNING] }], readContext())
}

it('nor halves of one multicall that saw two branches: all is read again', async () => {
  const { amounts, errors } = await multicallOn([1n, 1n, 2n])
  expect([...errors.values()]).toEqual([])
  expect([...(amounts.get(OWNER)?.values() ?? [])]).toEqual([2n, 2n])
})
