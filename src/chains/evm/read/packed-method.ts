import type { UpstreamPool } from '../../../upstream/types.ts'
import { isRefusal } from './call-failure.ts'
import { isPacked, packBalanceQuery, packCallQuery, unpackBalances, unpackCalls } from './packing.ts'
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

/** Some servers do not run such calls: they refuse them, or answer as for an account without code. */
const isNoPackedAnswer = (said: unknown): boolean => (said instanceof Error ? isRefusal(said) : !isPacked(said))

/**
 * Runs the two Yul readers in one eth_call. `create` sends them as init code, which any chain runs; `override` puts the
 * same bytes at an address for the duration of the call, for chains where only listed accounts may create contracts.
 */
export function createPackedMethod(target: CallTarget, name: 'create' | 'override'): ReadMethod {
  const run = (code: string, block: bigint | undefined, context: CallContext): Promise<unknown> => {
    const tag = blockTag(block)
    const params =
      name === 'create'
        ? [{ data: code }, tag]
        : [{ to: OVERRIDE_ADDRESS, data: '0x' }, tag, { [OVERRIDE_ADDRESS]: { code } }]
    return target.pool.rpc('', 'eth_call', params, { ...callOptions(context), doubts: isNoPackedAnswer })
  }
  return {
    name,
    balances: async (query, context) => {
      const answer = unpackBalances(await run(packBalanceQuery(query), query.block, context), query)
      target.checkChain(answer.chainId)
      return answer
    },
    calls: async (query, context) => {
      const answer = unpackCalls(await run(packCallQuery(query), query.block, context), query)
      target.checkChain(answer.chainId)
      return answer
    },
  }
}
