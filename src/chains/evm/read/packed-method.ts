import type { UpstreamPool } from '../../../upstream/types.ts'
import { isRefusal } from './call-failure.ts'
import { packBalanceQuery, packCallQuery, unpackBalances, unpackCalls } from './packing.ts'
import type { CallContext, ReadMethod } from './reader-types.ts'

/** Address at which overridden code runs; unused on every chain. */
const OVERRIDE_ADDRESS = '0x00000000000000000000000000000000f1270001'

export interface CallTarget {
  pool: UpstreamPool
  /** Throws when an answer came from another chain. */
  checkChain(chainId: bigint): void
}

/** Block parameter of eth_call. */
export const blockTag = (block: bigint | undefined): string =>
  block === undefined ? 'latest' : `0x${block.toString(16)}`

/** Options of every read here: a large call gains nothing from a batch and would delay the batch's other entries. */
export const callOptions = ({ signal, deadline, onSent }: CallContext) => ({
  signal,
  deadline,
  batch: false,
  ...(onSent && { onSent }),
})

/** Throws when an answer is not what the reader writes for a query. */
type Unpack<T> = (hex: unknown) => T

/** Looks only once at an answer: that of fifty accounts with all their tokens is long. */
const once = <T>(unpack: Unpack<T>): Unpack<T> => {
  let last: { hex: unknown; value: T } | undefined
  return (hex) => {
    if (last === undefined || last.hex !== hex) last = { hex, value: unpack(hex) }
    return last.value
  }
}

/**
 * Some servers do not run such calls: they refuse them, or answer as for an account without code. What is damaged is no
 * answer either: another server is asked.
 */
const isNoAnswer =
  (unpack: Unpack<unknown>) =>
  (said: unknown): boolean => {
    if (said instanceof Error) return isRefusal(said)
    try {
      unpack(said)
      return false
    } catch {
      return true
    }
  }

/**
 * Runs the two Yul readers in one eth_call. `create` sends them as init code, which any chain runs; `override` puts the
 * same bytes at an address for the duration of the call, for chains where only listed accounts may create contracts.
 */
export function createPackedMethod(target: CallTarget, name: 'create' | 'override'): ReadMethod {
  const run = async <T extends { chainId: bigint }>(
    code: string,
    block: bigint | undefined,
    context: CallContext,
    unpackAnswer: Unpack<T>,
  ): Promise<T> => {
    const unpack = once(unpackAnswer)
    const tag = blockTag(block)
    const params =
      name === 'create'
        ? [{ data: code }, tag]
        : [{ to: OVERRIDE_ADDRESS, data: '0x' }, tag, { [OVERRIDE_ADDRESS]: { code } }]
    const options = { ...callOptions(context), doubts: isNoAnswer(unpack) }
    const answer = unpack(await target.pool.rpc('', 'eth_call', params, options))
    target.checkChain(answer.chainId)
    return answer
  }
  return {
    name,
    balances: async (query, context) =>
      run(packBalanceQuery(query), query.block, context, (hex) => unpackBalances(hex, query)),
    calls: async (query, context) => run(packCallQuery(query), query.block, context, (hex) => unpackCalls(hex, query)),
  }
}
