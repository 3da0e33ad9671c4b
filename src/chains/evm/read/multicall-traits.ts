import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import { mapBounded } from '../../../lib/map-bounded.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { decimalsData, supportsData, uiMultiplierData } from './call-data.ts'
import { callFailure, isToldTooMuch } from './call-failure.ts'
import type { CallTarget } from './packed-method.ts'
import { type BlockMark, type CallContext, type ContractCall, isMultiplier, type TokenTraits } from './reader-types.ts'

export type Result = { success: boolean; returnData: Hex }
export type Aggregate = (
  calls: readonly ContractCall[],
  block: bigint | undefined,
  context: CallContext,
) => Promise<{ block: BlockMark; results: readonly Result[] }>

/** First word of a return value; undefined when there is none. */
export const word = (result: Result | undefined): bigint | undefined =>
  result?.success && result.returnData.length >= 66 ? BigInt(result.returnData.slice(0, 66)) : undefined

/** balance-reader.yul asks the same. */
const questions = [decimalsData, uiMultiplierData, supportsData(uiMultiplierData), supportsData('0xffffffff')]
/** Gas that those take at most of a token that is not to be asked by itself. */
export const QUESTIONS_GAS = 200_000
/** Of one question that is a call of its own: 21,000 are for the call. */
const OWN_GAS = '0x186a0'
const TOKENS_AT_ONCE = 250
/** Tokens that are asked by themselves in one read, and how many at once. */
const MOST_ALONE = 100
const ALONE_AT_ONCE = 16
export const PLAIN_MS = 3_600_000
const PLAIN_ENTRIES = 60_000

const questionsTo = (to: string): ContractCall[] => questions.map((data) => ({ to, data }))
const isUsable = (told = 0n): boolean => isMultiplier(told)

/** What was answered to the questions, in their order; undefined = nothing. */
function traitsOf(decimals?: bigint, multiplier?: bigint, claims?: bigint, claimsAll = 0n): TokenTraits {
  const hasNone = !isUsable(multiplier) && (claims !== 1n || claimsAll !== 0n)
  return {
    ...(decimals !== undefined && decimals < 256n && { decimals: Number(decimals) }),
    ...(!hasNone && { multiplier: isUsable(multiplier) ? (multiplier ?? null) : null }),
  }
}

/**
 * Decimals and multipliers (ERC-8056) of held tokens where only Multicall3 runs: a call behind that of the balances,
 * without the tokens that had no multiplier within the last hour. Both are of the latest block: a change of the
 * multiplier changes no balance. There is no gas cap for one token: where one burns the gas of all, each is asked by
 * itself. The multiplier is null also for those of which nothing was learned.
 */
export function createTraitReader(target: CallTarget, aggregate: Aggregate, probe: ContractCall) {
  const plain = new LRUCache<string, TokenTraits>({ ...roomFor(PLAIN_ENTRIES), ttl: PLAIN_MS })

  /** Undefined when they cannot be asked together. */
  const together = async (tokens: readonly string[], context: CallContext) => {
    try {
      const { results } = await aggregate([...tokens.flatMap(questionsTo), probe], undefined, context)
      // Gas only gets less: where the last call had enough of it, so had those before.
      if (!results.at(-1)?.success) return undefined
      const words = results.map(word)
      return tokens.map((_, at) => traitsOf(...words.slice(questions.length * at, questions.length * (at + 1))))
    } catch (error) {
      if (callFailure(error) !== 'too-much') throw error
      return undefined
    }
  }

  const alone = async (to: string, context: CallContext): Promise<TokenTraits> => {
    const ask = async (data = '0x'): Promise<bigint | undefined> => {
      const params = [{ to, data, gas: OWN_GAS }, 'latest']
      const options = { signal: context.signal, deadline: context.deadline }
      const returnData = await target.pool
        .rpc<Hex>(target.path, 'eth_call', params, options)
        .catch((error: unknown) => {
          if (callFailure(error) === 'refused' || isToldTooMuch(error)) return '0x' as const
          throw error
        })
      return word({ success: true, returnData })
    }
    const decimals = await ask(questions[0])
    const multiplier = await ask(questions[1])
    if (isUsable(multiplier)) return traitsOf(decimals, multiplier)
    const claims = await ask(questions[2])
    return traitsOf(decimals, multiplier, claims, claims === 1n ? await ask(questions[3]) : undefined)
  }

  return async (held: readonly string[], context: CallContext): Promise<Map<string, TokenTraits>> => {
    const told = new Map<string, TokenTraits>()
    const learn = (token: string, traits: TokenTraits): void => {
      told.set(token, traits)
      if (traits.multiplier === undefined) plain.set(token, traits)
    }
    const open: string[] = []
    for (const token of held) {
      const known = plain.get(token)
      if (known) told.set(token, known)
      else open.push(token)
    }
    const troubled: string[] = []
    for (let at = 0; at < open.length; at += TOKENS_AT_ONCE) {
      const some = open.slice(at, at + TOKENS_AT_ONCE)
      const traits = await together(some, context)
      if (!traits) troubled.push(...some)
      else for (const [place, token] of some.entries()) learn(token, traits[place] ?? {})
    }
    await mapBounded(troubled.slice(0, MOST_ALONE), ALONE_AT_ONCE, async (token) =>
      // It costs only itself.
      learn(token, await alone(token, context).catch(() => ({ multiplier: null }))),
    )
    for (const token of troubled.slice(MOST_ALONE)) told.set(token, { multiplier: null })
    return told
  }
}
