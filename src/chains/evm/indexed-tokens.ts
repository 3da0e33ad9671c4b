import { mapBounded } from '../../lib/map-bounded.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import type { EvmLimits } from './limits.ts'
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

const NOTHING: Found = { ok: true, value: NO_TOKENS }
const hasMore = (found: Found | undefined): boolean => found?.ok === true && found.value.more

/** Reads of the index at once for one request. */
const CONCURRENCY = 8

/**
 * Discovery by an own index while it is complete, else by an upstream: who catches up has no time for readers. An owner
 * whose tokens cannot be looked up in a complete index is an error: fewer tokens look like a loss.
 */
export function createIndexedDiscovery(
  indexed: IndexedTokens,
  upstream: TokenDiscovery,
  { discoveredTokens, discoveredPerRead }: EvmLimits,
): TokenDiscovery {
  const lookUp = async (owner: string, most: number): Promise<Found> => {
    try {
      const tokens = await indexed.tokensOf(owner, most + 1)
      return { ok: true, value: { tokens: tokens.slice(0, most), more: tokens.length > most } }
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error : new Error(String(error)) }
    }
  }
  /** Everybody's equal part first; those who have more share what the others leave. */
  const lookUpAll = async (owners: readonly string[], signal: AbortSignal): Promise<Map<string, Found>> => {
    const part = Math.min(discoveredTokens, Math.ceil(discoveredPerRead / owners.length))
    const first = await mapBounded(owners, CONCURRENCY, (owner) => lookUp(owner, part), signal)
    const found = new Map(owners.map((owner, at): [string, Found] => [owner, first[at] ?? NOTHING]))
    const rich = owners.filter((owner) => hasMore(found.get(owner)))
    const left = discoveredPerRead - first.reduce((sum, one) => sum + (one.ok ? one.value.tokens.length : 0), 0)
    const most = Math.min(discoveredTokens, part + Math.floor(left / rich.length))
    if (rich.length === 0 || most <= part) return found
    const second = await mapBounded(rich, CONCURRENCY, (owner) => lookUp(owner, most), signal)
    rich.forEach((owner, at) => void found.set(owner, second[at] ?? NOTHING))
    return found
  }
  const tokensOf = async (owners: readonly string[], context: ReadContext, complete: true | Promise<boolean>) =>
    (await complete) ? lookUpAll(owners, context.signal) : upstream.tokensOf(owners, context)
  return {
    isNear: true,
    firstLook: (owners) => (indexed.isComplete() === false ? upstream.firstLook(owners) : undefined),
    tokensOf(owners, context) {
      const complete = indexed.isComplete()
      return complete === false ? upstream.tokensOf(owners, context) : tokensOf(owners, context, complete)
    },
  }
}
