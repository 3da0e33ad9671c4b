import { mapBounded } from '../../lib/map-bounded.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import { type FoundTokens, NO_TOKENS, type TokenDiscovery } from './token-discovery.ts'

/**
 * Token contracts (lower-case hex with 0x) that owners ever sent or received, from an own index of the chain. They are
 * candidates: amounts are read from the chain.
 */
export interface IndexedTokens {
  /** False while the index is behind the chain; answers at once but after a start, when nothing is known yet. */
  isComplete(): boolean | Promise<boolean>
  /** So many at most, those that the owner got to know first: whoever sends others later does not push them out. */
  tokensOf(owner: string, most: number): Promise<readonly string[]>
}

type Found = Outcome<FoundTokens>

/** Reads of the index at once for one request. */
const CONCURRENCY = 8

/**
 * Discovery by an own index while it is complete, else by an upstream: who catches up has no time for readers. An owner
 * whose tokens cannot be looked up in a complete index is an error: fewer tokens look like a loss.
 */
export function createIndexedDiscovery(indexed: IndexedTokens, upstream: TokenDiscovery, most: number): TokenDiscovery {
  const lookUp = async (owner: string): Promise<Found> => {
    try {
      const tokens = await indexed.tokensOf(owner, most + 1)
      return { ok: true, value: { tokens: tokens.slice(0, most), more: tokens.length > most } }
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error : new Error(String(error)) }
    }
  }
  const tokensOf = async (owners: readonly string[], context: ReadContext, complete: true | Promise<boolean>) => {
    if (!(await complete)) return upstream.tokensOf(owners, context)
    const found = await mapBounded(owners, CONCURRENCY, lookUp, context.signal)
    return new Map(owners.map((owner, at): [string, Found] => [owner, found[at] ?? { ok: true, value: NO_TOKENS }]))
  }
  return {
    isNear: true,
    firstLook: (owners) => (indexed.isComplete() === false ? upstream.firstLook(owners) : undefined),
    tokensOf(owners, context) {
      const complete = indexed.isComplete()
      return complete === false ? upstream.tokensOf(owners, context) : tokensOf(owners, context, complete)
    },
  }
}
