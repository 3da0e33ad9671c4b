import { FirnError, UpstreamUnavailableError } from '../../../errors.ts'
import type { ChainLetter } from '../../../lib/primary-network.ts'
import type { CallOptions } from '../../../upstream/types.ts'

/** One try at a read that may take several calls. */
export interface Attempt<T> {
  value: T
  /**
   * Chains of which some part took several calls. Of the others each part came from a single call, so that it is one
   * state of the chain and nothing is to be compared.
   */
  manyCalls: readonly ChainLetter[]
}

/** What a reading says about its calls to a chain. */
export type CallOf = (chain: ChainLetter) => CallOptions

const MAX_ATTEMPTS = 6

/**
 * Repeats a read until the tip was the same before and after it: a UTXO that moves between two pages would be counted
 * twice or not at all. A height seen after one attempt serves as the height before the next, so an unexpected second
 * page costs one more reading and no more.
 *
 * Heights and what is read between them come from one node for each chain: nodes list the UTXOs of one block in orders
 * of their own, so that a page of another node leaves some out, and one that lags moves while others stand still. If
 * that node fails, the reading is begun anew, with the first one that has pages: it may only know heights.
 *
 * Reads of single calls are taken as they come. Their calls run at the same moment against the same node; comparing
 * heights would double the time of every ordinary answer for a window of milliseconds that the next poll closes.
 * @param expectMany chains whose read is known to take several calls: they are asked for the height first.
 * @throws UpstreamUnavailableError when the tip moved under every attempt.
 */
export async function readSettled<T>(
  heightOf: (chain: ChainLetter, call: CallOptions) => Promise<bigint>,
  expectMany: readonly ChainLetter[],
  call: CallOptions,
  read: (callOf: CallOf) => Promise<Attempt<T>>,
): Promise<T> {
  const servers = new Map<ChainLetter, object>()
  let before = new Map<ChainLetter, bigint>()
  const callOf: CallOf = (chain) => {
    const sameServer = servers.get(chain)
    return sameServer ? { ...call, sameServer } : call
  }
  const heights = async (chains: readonly ChainLetter[]) => {
    for (const chain of chains) if (!servers.has(chain)) servers.set(chain, {})
    return new Map(
      await Promise.all(chains.map(async (chain) => [chain, await heightOf(chain, callOf(chain))] as const)),
    )
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      if (attempt === 1) before = await heights(expectMany)
      const { value, manyCalls } = await read(callOf)
      if (manyCalls.length === 0) return value
      const after = await heights(manyCalls)
      if (manyCalls.every((chain) => before.get(chain) === after.get(chain))) return value
      // A height from before that was not asked again holds as well: it covers more than this attempt.
      before = new Map([...before, ...after])
    } catch (error) {
      const mayPass = error instanceof FirnError && error.retryable
      if (servers.size === 0 || attempt === MAX_ATTEMPTS || !mayPass || call.signal?.aborted) throw error
      for (const chain of servers.keys()) servers.set(chain, {})
      before = new Map()
    }
  }
  throw new UpstreamUnavailableError(`the chain moved during each of ${MAX_ATTEMPTS} readings`)
}
