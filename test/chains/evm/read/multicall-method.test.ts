import { decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { createMulticallMethod } from '../../../../src/chains/evm/read/multicall-method.ts'
import { NATIVE_TOKEN } from '../../../../src/chains/evm/read/reader-types.ts'
import { JsonRpcError } from '../../../../src/errors.ts'
import type { UpstreamPool } from '../../../../src/upstream/index.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'

const ABI = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])
const MULTICALL = `0x${'ca'.repeat(20)}`
const ARB_SYS = `0x${'64'.padStart(40, '0')}`
const [DECIMALS, BALANCE_OF, AGGREGATE] = ['0x313ce567', '0x70a08231', '0x82ad56cb']
const MARKS = { '0x42cbb15c': 'number', '0x27e86d6e': 'hash', '0x0f28c97d': 'time', '0x3408e470': 'chain' } as const

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const tokenAt = (at: number): string => `0x${(0xe0_0000 + at).toString(16).padStart(40, '0')}`
const ownerAt = (at: number): string => `0x${(0xa0_0000 + at).toString(16).padStart(40, '0')}`

interface Node {
  /** Of the chain at one aggregate, the first of which is 1. */
  marks?: (aggregate: number) => Partial<Record<'number' | 'hash' | 'time' | 'chain', bigint>>
  /** What ArbSys says; left out = there is none. */
  arbitrum?: bigint
  /** What a contract says, in an aggregate or (0) alone; undefined = the call fails. */
  token(to: string, data: string, aggregate: number): bigint | undefined
  /** Whether the probe at the end had its gas. */
  hasGas?: (aggregate: number) => boolean
}

/** Multicall3 on a node that a test makes up, and what was asked there, a list for each aggregate. */
function multicallOn({ marks = () => ({}), arbitrum, token, hasGas = () => true }: Node) {
  const asked: { to: string; data: string }[][] = []
  const answer = (to: string, data: string): bigint | undefined => {
    const mark = MARKS[data as keyof typeof MARKS]
    if (mark) return { number: 10n, hash: 1n, time: 2n, chain: 1n, ...marks(asked.length) }[mark]
    if (to === ARB_SYS) return arbitrum
    if (to === MULTICALL) return data.startsWith(AGGREGATE) && !hasGas(asked.length) ? undefined : 1n
    return token(to, data, asked.length)
  }
  const rpc = async (_path: string, _method: string, [{ to, data }]: [{ to: string; data: Hex }]) => {
    if (to !== MULTICALL) {
      const alone = token(to, data, 0)
      if (alone === undefined) throw new JsonRpcError('execution reverted', 3)
      return word(alone)
    }
    const [calls] = decodeFunctionData({ abi: ABI, data }).args
    const plain = calls.map((one) => ({ to: one.target.toLowerCase(), data: one.callData }))
    asked.push(plain)
    const result = plain.map((one) => answer(one.to, one.data))
    return encodeFunctionResult({
      abi: ABI,
      functionName: 'aggregate3',
      result: result.map((value) => ({
        success: value !== undefined,
        returnData: value === undefined ? '0x' : word(value),
      })),
    })
  }
  const method = createMulticallMethod(
    { pool: { rpc } as unknown as UpstreamPool, checkChain: () => undefined },
    MULTICALL,
  )
  const balances = (tokens: readonly string[], owners: readonly string[] = [ownerAt(0)], gas = 50_000) =>
    method.balances({ owners, tokens, gas, answerBytes: 1e6 }, readContext())
  return { asked, balances }
}

const balanceOnly =
  (value: bigint | undefined): Node['token'] =>
  (_, data) =>
    data.startsWith(BALANCE_OF) ? value : undefined

it('two halves of one height in different blocks are not put together, be it only their time that differs', async () => {
  const forked = multicallOn({
    marks: (aggregate) => ({ time: BigInt(Math.min(aggregate, 3)) }),
    token: (to, data) => (to === tokenAt(0) || !data.startsWith(BALANCE_OF) ? undefined : 5n),
    hasGas: () => false,
  })
  await expect(forked.balances([tokenAt(0), tokenAt(1)])).rejects.toThrow('upstreams disagree about block 10')
})

it('an aggregate with gas left at its end is not halved for a token that fails; one without is', async () => {
  for (const [gas, aggregates] of [
    [true, 1],
    [false, 3],
  ] as const) {
    const node = multicallOn({ token: (to) => (to === tokenAt(0) ? undefined : 0n), hasGas: () => gas })
    const { failed, unasked } = await node.balances([tokenAt(0), tokenAt(1)])
    expect([failed, unasked]).toEqual([[{ owner: 0, token: 0 }], []])
    expect(node.asked).toHaveLength(aggregates)
  }
})

it('behind two owners for whom a token failed alone nothing is known of the others', async () => {
  const node = multicallOn({ token: () => undefined, hasGas: () => false })
  const { failed, unasked } = await node.balances([tokenAt(0)], [0, 1, 2, 3].map(ownerAt))
  expect(failed).toEqual([0, 1].map((owner) => ({ owner, token: 0 })))
  expect(unasked).toEqual([2, 3].map((owner) => ({ owner, token: 0 })))
})

it('hundreds of tokens that burn the gas are not halved for ever', async () => {
  const node = multicallOn({ token: () => undefined, hasGas: () => false })
  const tokens = Array.from({ length: 300 }, (_, at) => tokenAt(at))
  // With so much gas for each, no probe at the end is worth its size.
  await expect(node.balances(tokens, [ownerAt(0)], 300_000)).rejects.toThrow(
    'too many tokens of one multicall burn its gas',
  )
})

it('the block is that of ArbSys where there is one', async () => {
  expect((await multicallOn({ arbitrum: 7_777n, token: balanceOnly(0n) }).balances([tokenAt(0)])).block.number).toBe(
    7_777n,
  )
  expect((await multicallOn({ token: balanceOnly(0n) }).balances([tokenAt(0)])).block.number).toBe(10n)
})

it('the coin is not asked what a token is', async () => {
  const { asked, balances } = multicallOn({ token: (_, data) => (data.startsWith(BALANCE_OF) ? 5n : 6n) })
  const { amounts, traits } = await balances([NATIVE_TOKEN, tokenAt(1)])
  expect(amounts).toHaveLength(2)
  expect(traits.map(({ token }) => token)).toEqual([1])
  expect(asked[1]?.filter(({ data }) => data === DECIMALS)).toEqual([{ to: tokenAt(1), data: DECIMALS }])
})

it('tokens whose questions burnt the gas of all are asked alone', async () => {
  const { balances } = multicallOn({
    token: (_, data, aggregate) =>
      data.startsWith(BALANCE_OF) ? 5n : data === DECIMALS && aggregate === 0 ? 6n : undefined,
    hasGas: (aggregate) => aggregate < 2,
  })
  expect((await balances([tokenAt(0), tokenAt(1)])).traits).toEqual(
    [0, 1].map((token) => ({ token, told: { decimals: 6 } })),
  )
})

it('a token without decimals at a block from before it was held is asked again', async () => {
  const { balances } = multicallOn({
    // The server of the second aggregate stands still.
    marks: (aggregate) => (aggregate === 2 ? { number: 5n } : {}),
    token: (_, data, aggregate) =>
      data.startsWith(BALANCE_OF) ? 5n : data === DECIMALS && aggregate > 2 ? 6n : undefined,
  })
  expect((await balances([tokenAt(0)])).traits).toEqual([{ token: 0, told: {} }])
  expect((await balances([tokenAt(0)])).traits).toEqual([{ token: 0, told: { decimals: 6 } }])
})
