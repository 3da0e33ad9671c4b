import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData, isHex, parseAbi } from 'viem/utils'
import { BadAnswerError } from '../../../errors.ts'
import { balanceOfData } from './call-data.ts'
import { BlockLostError, isRefusal } from './call-failure.ts'
import { createTraitReader, QUESTIONS_GAS, type Result, word } from './multicall-traits.ts'
import { blockTag, type CallTarget, callOptions } from './packed-method.ts'
import {
  type BalanceAnswer,
  type BalanceQuery,
  type BlockMark,
  type CallContext,
  type ContractCall,
  NATIVE_TOKEN,
  noAnswers,
  type ReadMethod,
} from './reader-types.ts'

const ABI = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])
const SELECTORS = { number: '0x42cbb15c', lastHash: '0x27e86d6e', time: '0x0f28c97d', chain: '0x3408e470' }
const ETH_BALANCE = '0x4d2301cc'
/** Each pair costs about 450 request bytes and 320 answer bytes, in hex. */
const PAIRS_PER_AGGREGATE = 1_000
/** Arbitrum's own height; on other chains there is no code and the answer is empty (see balance-reader.yul). */
const ARB_SYS = { to: `0x${'64'.padStart(40, '0')}`, data: '0xa3b1b31d' }
const MASK = (1n << 64n) - 1n
/** Largest gas that is probed: the probe call grows with it. */
const MOST_PROBED = 200_000
/** Least gas of one getEthBalance of an untouched account. */
const PROBE_STEP = 2_600
/** Tokens that burn gas cost about ten halvings each: thousands, sent to somebody, are not read one by one. */
const MOST_HALVINGS = 256
const PROBED_ACCOUNTS = 0xf127_0001_0000_0000_0000_0000n

/** A call that needs at least this much gas and fails with less. */
function gasProbe(multicall: string, gas: number): ContractCall {
  const calls = Array.from({ length: Math.ceil(gas / PROBE_STEP) }, (_, at) => ({
    target: multicall as Hex,
    allowFailure: false,
    callData: `${ETH_BALANCE}${(PROBED_ACCOUNTS + BigInt(at)).toString(16).padStart(64, '0')}` as Hex,
  }))
  return { to: multicall, data: encodeFunctionData({ abi: ABI, functionName: 'aggregate3', args: [calls] }) }
}

/** One aggregate3 that also returns its block and its chain. */
const createAggregate =
  (target: CallTarget, multicall: string) =>
  async (calls: readonly ContractCall[], block: bigint | undefined, context: CallContext) => {
    const marks = Object.values(SELECTORS).map((data) => ({ to: multicall, data }))
    const all = [...marks, ARB_SYS, ...calls].map(({ to, data }) => ({
      target: to as Hex,
      allowFailure: true,
      callData: data as Hex,
    }))
    const data = encodeFunctionData({ abi: ABI, functionName: 'aggregate3', args: [all] })
    const params = [{ to: multicall, data }, blockTag(block)]
    const hex = await target.pool.rpc<Hex>('', 'eth_call', params, { ...callOptions(context), doubts: isNone })
    const results = decodeResults(hex)
    if (results.length !== all.length) throw new BadAnswerError('multicall answered another number of results')
    const [number, hash, time, chain, arbitrum] = results.slice(0, 5).map(word)
    if (number === undefined || hash === undefined || time === undefined || chain === undefined) {
      throw new BadAnswerError('multicall did not say its block')
    }
    target.checkChain(chain)
    return { block: { number: arbitrum ?? number, fingerprint: (hash ^ time) & MASK }, results: results.slice(5) }
  }

/**
 * Multicall3, for nodes that run neither init code nor overridden code in eth_call. It has no gas limit per call, so a
 * token that burns gas starves its neighbours: an aggregate that had too little gas at its end is halved until only the
 * failing token is left.
 */
export function createMulticallMethod(target: CallTarget, multicall: string): ReadMethod {
  const aggregate = createAggregate(target, multicall)
  const traitsOf = createTraitReader(target, aggregate, gasProbe(multicall, QUESTIONS_GAS))

  const balances = async (
    whole: BalanceQuery,
    context: CallContext,
    budget: { halvings: number },
  ): Promise<BalanceAnswer> => {
    const fitting = Math.max(1, Math.floor(PAIRS_PER_AGGREGATE / whole.owners.length))
    const query = { ...whole, tokens: whole.tokens.slice(0, fitting) }
    const pairs = query.tokens.flatMap((token) =>
      query.owners.map((owner) =>
        token === NATIVE_TOKEN
          ? { to: multicall, data: ETH_BALANCE + owner.slice(2).padStart(64, '0') }
          : { to: token, data: balanceOfData(owner) },
      ),
    )
    const probe = query.tokens.length > 1 && query.gas <= MOST_PROBED ? [gasProbe(multicall, query.gas)] : []
    const { block, results } = await aggregate([...pairs, ...probe], query.block, context)
    // The remaining gas only shrinks: if the last call had enough, all earlier ones had.
    const hadGas = probe.length > 0 && results.pop()?.success === true
    const answer: BalanceAnswer = { block, done: query.tokens.length, ...noAnswers() }
    for (const [index, result] of results.entries()) {
      const pair = { owner: index % query.owners.length, token: Math.floor(index / query.owners.length) }
      const value = word(result)
      if (value === undefined) answer.failed.push(pair)
      else if (value > 0n) answer.amounts.push({ ...pair, value })
    }
    if (hadGas) return answer
    if (answer.failed.length > 0 && query.tokens.length > 1) return halves(query, block, context, budget)
    // Two burning tokens leave a 4,096th of the gas: the others may have failed for lack of it.
    answer.unasked = answer.failed.splice(2)
    return answer
  }

  const halves = async (
    query: BalanceQuery,
    block: BlockMark,
    context: CallContext,
    budget: { halvings: number },
  ): Promise<BalanceAnswer> => {
    budget.halvings -= 1
    if (budget.halvings < 0) throw new BadAnswerError('too many tokens of one multicall burn its gas')
    const middle = Math.ceil(query.tokens.length / 2)
    const parts = [query.tokens.slice(0, middle), query.tokens.slice(middle)]
    const [first, second] = await Promise.all(
      parts.map((tokens) => balances({ ...query, tokens, block: block.number }, context, budget)),
    )
    if (!first || !second || first.block.fingerprint !== second.block.fingerprint) {
      throw new BlockLostError(`upstreams disagree about block ${block.number}`)
    }
    const moved = <P extends { token: number }>(pair: P): P => ({ ...pair, token: pair.token + middle })
    return {
      block: first.block,
      done: query.tokens.length,
      amounts: [...first.amounts, ...second.amounts.map(moved)],
      failed: [...first.failed, ...second.failed.map(moved)],
      unasked: [...first.unasked, ...second.unasked.map(moved)],
      traits: [],
    }
  }

  const withTraits = async (
    answer: BalanceAnswer,
    { tokens }: BalanceQuery,
    context: CallContext,
  ): Promise<BalanceAnswer> => {
    const places = [...new Set(answer.amounts.map(({ token }) => token))]
    const held = new Map(places.map((token) => [tokens[token] ?? '', token]))
    held.delete(NATIVE_TOKEN)
    const all = await traitsOf([...held.keys()], context, answer.block.number)
    return { ...answer, traits: [...all].map(([address, told]) => ({ token: held.get(address) ?? 0, told })) }
  }

  return {
    name: 'multicall3',
    balances: async (query, context) =>
      withTraits(await balances(query, context, { halvings: MOST_HALVINGS }), query, context),
    calls: async (query, context) => {
      const { block, results } = await aggregate([...query.calls], query.block, context)
      // A call of an address without code succeeds, with nothing.
      const bytes = results.map(({ success, returnData }) =>
        success && returnData !== '0x'
          ? Buffer.from(returnData.slice(2), 'hex').subarray(0, query.keepBytes)
          : undefined,
      )
      return { block, done: query.calls.length, results: bytes }
    },
  }
}

/** Whether an answer is not a multicall's: the node does not allow calls, or has no state. */
const isNone = (said: unknown): boolean => (said instanceof Error ? isRefusal(said) : said === '0x' || !isHex(said))

function decodeResults(hex: unknown): readonly Result[] {
  try {
    return decodeFunctionResult({ abi: ABI, functionName: 'aggregate3', data: hex as Hex })
  } catch (error) {
    throw new BadAnswerError('multicall answered with something else', error)
  }
}
