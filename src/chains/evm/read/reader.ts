import type { Logger } from 'pino'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { UpstreamPool } from '../../../upstream/types.ts'
import { evmChainId } from '../identity.ts'
import { atEarlierBlocks } from './at-earlier-blocks.ts'
import { callFailure } from './call-failure.ts'
import { createMulticallMethod } from './multicall-method.ts'
import { type CallTarget, createPackedMethod } from './packed-method.ts'
import type { ReadMethod } from './reader-types.ts'
import { WrongChainError } from './wrong-chain-error.ts'

export interface EvmReaderDeps {
  /** CAIP-2 id of the namespace eip155. */
  caip2Id: string
  pool: UpstreamPool
  /** Multicall3, used only where a node refuses the packed reads. */
  multicall?: string
  logger?: Pick<Logger, 'debug'>
}

/** How long a method that replaced a refused one is tried first. */
const PREFERENCE_MS = 3_600_000

/**
 * Runs packed reads by the first method that the chain's nodes accept: init code, overridden code, Multicall3.
 * Every answer carries the chain id it was computed on; an answer from another chain is a WrongChainError.
 */
export function createEvmReader({ caip2Id, pool, multicall, logger }: EvmReaderDeps): ReadMethod {
  const configured = evmChainId(caip2Id)
  const target: CallTarget = {
    pool,
    checkChain: (served) => {
      if (served !== configured) throw new WrongChainError(caip2Id, configured, served)
    },
  }
  const methods = [createPackedMethod(target, 'create'), createPackedMethod(target, 'override')]
  if (multicall !== undefined) methods.push(createMulticallMethod(target, multicall.toLowerCase()))
  let preferred: { method: ReadMethod; until: number } | undefined

  const inTurn = async <T>(run: (method: ReadMethod) => Promise<T>): Promise<T> => {
    const first = preferred && preferred.until > steadyNow() ? preferred.method : undefined
    const order = first ? [first, ...methods.filter((method) => method !== first)] : methods
    let refusal: unknown
    for (const method of order) {
      try {
        const result = await run(method)
        if (refusal !== undefined) preferred = { method, until: steadyNow() + PREFERENCE_MS }
        return result
      } catch (error) {
        if (callFailure(error) !== 'refused') throw error
        logger?.debug({ chain: caip2Id, method: method.name, err: error }, 'read method refused')
        refusal ??= error
      }
    }
    throw refusal
  }
  return atEarlierBlocks({
    name: 'first accepted',
    balances: (query, context) => inTurn((method) => method.balances(query, context)),
    calls: (query, context) => inTurn((method) => method.calls(query, context)),
  })
}
