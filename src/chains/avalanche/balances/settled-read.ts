import { UpstreamUnavailableError } from '../../../errors.ts'
import type { ChainLetter } from '../../../lib/primary-network.ts'

/** One try at a read that may take several calls. */
export interface Attempt<T> {
  value: T
  /**
   * Chains of which some part took several calls. Of the others each part came from a single call, so that it is one
   * state of the chain and nothing is to be compared.
   */
  manyCalls: readonly ChainLetter[]
}

const MAX_ATTEMPTS = 4

/**
 * Repeats a read until the tip was the same before and after it: a UTXO that moves between two pages would be counted
 * twice or not at all. A height seen after one attempt serves as the height before the next, so an unexpected second
 * page costs one more reading and no more.
 *
 * Reads of single calls are taken as they come. Their calls run at the same moment against the same node; comparing
 * heights would double the time of every ordinary answer for a window of milliseconds that the next poll closes.
 * @param expectMany chains whose read is known to take several calls: they are asked for the height first.
 * @throws UpstreamUnavailableError when the tip moved under every attempt.
 */
export async function readSettled<T>(
  heightOf: (chain: ChainLetter) => Promise<bigint>,
  expectMany: readonly ChainLetter[],
  read: () => Promise<Attempt<T>>,
): Promise<T> {
  const heights = async (chains: readonly ChainLetter[]) =>
    new Map(await Promise.all(chains.map(async (chain) => [chain, await heightOf(chain)] as const)))
  let before = await heights(expectMany)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { value, manyCalls } = await read()
    if (manyCalls.length === 0) return value
    const after = await heights(manyCalls)
    if (manyCalls.every((chain) => before.get(chain) === after.get(chain))) return value
    // A height from before that was not asked again holds as well: it covers more than this attempt.
    before = new Map([...before, ...after])
  }
  throw new UpstreamUnavailableError(`the chain moved during each of ${MAX_ATTEMPTS} readings`)
}
