import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import { inChunks } from '../../../lib/in-chunks.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import { DECIMALS_DATA, supportsData, UI_MULTIPLIER_DATA } from './call-data.ts'
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

/** The same questions as in balance-reader.yul. */
const QUESTIONS = [DECIMALS_DATA, UI_MULTIPLIER_DATA, supportsData(UI_MULTIPLIER_DATA), supportsData('0xffffffff')]
/** Most gas that these take for a token, unless the token has to be asked alone. */
export const QUESTIONS_GAS = 200_000
/** Gas of one question sent as a separate call, of which 21,000 are for the call itself. */
const OWN_GAS = '0x186a0'
const TOKENS_AT_ONCE = 250
/** Tokens asked alone in one read, and how many at once. */
const MOST_ALONE = 100
const ALONE_AT_ONCE = 16
export const PLAIN_MS = 3_600_000
const PLAIN_ENTRIES = 60_000

const questionsTo = (to: string): ContractCall[] => QUESTIONS.map((data) => ({ to, data }))
const isUsable = (told = 0n): boolean => isMultiplier(told)

/** Traits from the answers to the questions, in their order; undefined = no answer. */
function traitsOf(decimals?: bigint, multiplier?: bigint, claims?: bigint, claimsAll = 0n): TokenTraits {
  const hasNone = !isUsable(multiplier) && (claims !== 1n || claimsAll !== 0n)
  return {
    ...(decimals !== undefined && decimals < 256n && { decimals: Number(decimals) }),
    ...(!hasNone && { multiplier: isUsable(multiplier) ? (multiplier ?? null) : null }),
  }
}

/**
 * Decimals and multipliers (ERC-8056) of held tokens if only Multicall3 runs: one call after that of the balances,
 * without tokens that had no multiplier within the last hour. Both are of the latest block: a change of the multiplier
 * changes no balance. There is no gas limit per token: if one burns the gas of all, each is asked alone. The multiplier
 * is also null for tokens of which nothing was learned.
 */
export function createTraitReader(target: CallTarget, aggregate: Aggregate, probe: ContractCall) {
  const plain = new LRUCache<string, TokenTraits>({ ...roomFor(PLAIN_ENTRIES), ttl: PLAIN_MS })

  /** Undefined when the tokens cannot be asked together. */
  const together = async (tokens: readonly string[], context: CallContext) => {
    try {
      const { block, results } = await aggregate([...tokens.flatMap(questionsTo), probe], undefined, context)
      // The remaining gas only shrinks: if the last call had enough, all earlier ones had.
      if (!results.at(-1)?.success) return undefined
      const words = results.map(word)
      const wordsOf = (at: number) => words.slice(QUESTIONS.length * at, QUESTIONS.length * (at + 1))
      return { height: block.number, traits: tokens.map((_, at) => traitsOf(...wordsOf(at))) }
    } catch (error) {
      if (callFailure(error) !== 'too-much') throw error
      return undefined
    }
  }

  const alone = async (to: string, context: CallContext): Promise<TokenTraits> => {
    const ask = async (data = '0x'): Promise<bigint | undefined> => {
      const params = [{ to, data, gas: OWN_GAS }, 'latest']
      const options = { signal: context.signal, deadline: context.deadline }
      const returnData = await target.pool.rpc<Hex>('', 'eth_call', params, options).catch((error: unknown) => {
        if (callFailure(error) === 'refused' || isToldTooMuch(error)) return '0x' as const
        throw error
      })
      return word({ success: true, returnData })
    }
    const decimals = await ask(QUESTIONS[0])
    const multiplier = await ask(QUESTIONS[1])
    if (isUsable(multiplier)) return traitsOf(decimals, multiplier)
    const claims = await ask(QUESTIONS[2])
    return traitsOf(decimals, multiplier, claims, claims === 1n ? await ask(QUESTIONS[3]) : undefined)
  }

  /** @param since height at which the tokens exist: without decimals at an earlier one, nothing is remembered */
  return async (held: readonly string[], context: CallContext, since: bigint): Promise<Map<string, TokenTraits>> => {
    const told = new Map<string, TokenTraits>()
    const learn = (token: string, traits: TokenTraits, height = since): void => {
      told.set(token, traits)
      const mayLack = traits.decimals === undefined && height < since
      if (traits.multiplier === undefined && !mayLack) plain.set(token, traits)
    }
    const open: string[] = []
    for (const token of held) {
      const known = plain.get(token)
      if (known) told.set(token, known)
      else open.push(token)
    }
    const troubled: string[] = []
    for (const some of inChunks(open, TOKENS_AT_ONCE)) {
      const answer = await together(some, context)
      if (!answer) troubled.push(...some)
      else for (const [place, token] of some.entries()) learn(token, answer.traits[place] ?? {}, answer.height)
    }
    await mapBounded(troubled.slice(0, MOST_ALONE), ALONE_AT_ONCE, async (token) =>
      // A failure costs only this token.
      learn(token, await alone(token, context).catch(() => ({ multiplier: null }))),
    )
    for (const token of troubled.slice(MOST_ALONE)) told.set(token, { multiplier: null })
    return told
  }
}
