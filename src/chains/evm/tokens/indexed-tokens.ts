import { LRUCache } from 'lru-cache'
import { CancelledError, failure } from '../../../errors.ts'
import { TransientMap } from '../../../lib/transient-map.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { Outcome, ReadContext } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'
import {
  NO_TOKENS,
  type OfferedDiscovery,
  type TokenDiscovery,
  type TokensByOwner,
  UNTOLD,
  waitFor,
} from './token-discovery.ts'
import type { FoundTokens } from './token-finder.ts'

/** For whom the index is asked, and whether they still wait. */
type Reader = Pick<ReadContext, 'signal' | 'clients'>

/**
 * Token contracts (lower-case hex with 0x) that owners ever sent or received, from our own index of the chain. They are
 * candidates: amounts are read from the chain.
 */
export interface IndexedTokens {
  /** False while the index is behind the chain. Answers at once, except after a start, when nothing is known yet. */
  isComplete(): boolean | Promise<boolean>
  /**
   * At most `most` tokens, the owner's earliest first, so that tokens sent later do not push them out. Empty for a
   * chain that is not in the index.
   */
  tokensOf(owner: string, most: number, reader?: Reader): Promise<readonly string[]>
}

type Found = Outcome<FoundTokens>

const NOTHING: Found = { ok: true, value: NO_TOKENS }
const hasMore = (found: Found | undefined): boolean => found?.ok === true && found.value.more

/** Concurrent lookups in the index for one request. */
const CONCURRENCY = 8

/**
 * Discovery by our own index while it is complete, else by an upstream, and if no upstream offers it, by the index all
 * the same. Where a complete index cannot be read, what it told last counts, and an owner of whom it has told nothing is
 * an error: fewer tokens look like a loss.
 */
export function createIndexedDiscovery(
  indexed: IndexedTokens,
  upstream: OfferedDiscovery,
  limits: EvmLimits,
): TokenDiscovery {
  const { discoveredTokens, discoveredPerRead } = limits
  const oldNames = createOldNames(indexed, limits)
  const lookUp = async (owner: string, most: number, reader: Reader): Promise<Found> => {
    try {
      return { ok: true, value: oldNames.keep(owner, await indexed.tokensOf(owner, most + 1, reader), most) }
    } catch (error) {
      const known = error instanceof CancelledError ? undefined : oldNames.known(owner, most)
      return known ? { ok: true, value: known } : failure(error)
    }
  }
  /** First an equal part for every owner; owners with more then share what the others leave. */
  const lookUpAll = async (owners: readonly string[], reader: Reader): Promise<Map<string, Found>> => {
    const part = Math.min(discoveredTokens, Math.ceil(discoveredPerRead / owners.length))
    const first = await mapBounded(owners, CONCURRENCY, (owner) => lookUp(owner, part, reader), reader.signal)
    const found = new Map(owners.map((owner, at): [string, Found] => [owner, first[at] ?? NOTHING]))
    const rich = owners.filter((owner) => hasMore(found.get(owner)))
    const left = discoveredPerRead - first.reduce((sum, one) => sum + (one.ok ? one.value.tokens.length : 0), 0)
    const most = Math.min(discoveredTokens, part + Math.floor(left / rich.length))
    if (rich.length === 0 || most <= part) return found
    const second = await mapBounded(rich, CONCURRENCY, (owner) => lookUp(owner, most, reader), reader.signal)
    rich.forEach((owner, at) => void found.set(owner, second[at] ?? NOTHING))
    return found
  }
  const tokensOf = async (owners: readonly string[], context: ReadContext, complete: true | Promise<boolean>) =>
    (await complete) ? lookUpAll(owners, context) : tokensBehind(owners, context)
  const tokensBehind: TokenDiscovery['tokensOf'] = (owners, context) => {
    const told = upstream.tokensOf(owners, context)
    return upstream.isOffered ? told : oldNames.of(owners, context)
  }
  return {
    get isNear() {
      return indexed.isComplete() !== false
    },
    firstLook: (owners) => (indexed.isComplete() === false ? upstream.firstLook(owners) : undefined),
    tokensOf(owners, context) {
      const complete = indexed.isComplete()
      return complete === false ? tokensBehind(owners, context) : tokensOf(owners, context, complete)
    },
  }
}

/** `most`: the number that was asked for. */
interface Named extends FoundTokens {
  most: number
}

/** Longest wait of a reader for an index that is behind, milliseconds. */
const OLD_MS = 1_000

/**
 * Names from an index that is behind: without them, tokens that were shown before would look spent. An index that is
 * catching up has little time for readers: an owner is looked up once in a while, and while an answer is late, or cannot
 * be had, the last names count, from before the index fell behind, too.
 */
function createOldNames(
  indexed: IndexedTokens,
  { discoveredTokens, discoveredPerRead, discoveredKept, discoveryMs }: EvmLimits,
) {
  const kept = new LRUCache<string, Named>({
    maxSize: discoveredKept,
    sizeCalculation: ({ tokens }) => tokens.length + 1,
    ttl: discoveryMs,
    // Old names are better than none while they are looked up again.
    allowStale: true,
    noDeleteOnStaleGet: true,
  })
  const looking = new TransientMap<string, { most: number; done: Promise<void> }>()
  /** A request for many owners looks up few tokens of each: these may not be enough for a request for one owner. */
  const isEnough = (named: Named | undefined, most: number): named is Named =>
    named !== undefined && (!named.more || named.most >= most)
  /** And were told lately. */
  const suffices = (owner: string, most: number): boolean => kept.has(owner) && isEnough(kept.peek(owner), most)

  /** @param tokens up to one more than `most`, which were asked for */
  const keep = (owner: string, tokens: readonly string[], most: number): FoundTokens => {
    const named: Named = { tokens: tokens.slice(0, most), more: tokens.length > most, most }
    const before = kept.peek(owner, { allowStale: true })
    // Who asked for fewer of them than were known learnt nothing new: the earliest come first.
    if (!named.more || !before || before.tokens.length <= most) kept.set(owner, named)
    return named
  }

  const look = async (owner: string, most: number): Promise<void> => {
    try {
      keep(owner, await indexed.tokensOf(owner, most + 1), most)
    } catch {
      // The next reader asks again.
    }
  }
  const lookOnce = (owner: string, wanted: number): Promise<void> => {
    const running = looking.get(owner)
    if (running && running.most >= wanted) return running.done
    // Tokens named before must not look spent.
    const most = Math.max(wanted, kept.peek(owner, { allowStale: true })?.most ?? 0)
    const begun = { most, done: look(owner, most) }
    looking.set(owner, begun)
    void begun.done.then(() => looking.get(owner) === begun && looking.delete(owner))
    return begun.done
  }

  const lookUp = async (missing: readonly string[], most: number, { signal, deadline }: ReadContext): Promise<void> => {
    const looked = mapBounded(missing, CONCURRENCY, (owner) => lookOnce(owner, most)).then(() => undefined)
    await waitFor(looked, { signal, deadline: Math.min(deadline, Date.now() + OLD_MS) })
    // A lookup continues after its reader has left, and its result is kept for others.
    if (signal.aborted) throw new CancelledError()
  }

  const namesOf = (owners: readonly string[], context: ReadContext): TokensByOwner | Promise<TokensByOwner> => {
    const named = (): TokensByOwner =>
      new Map(owners.map((owner) => [owner, { ok: true, value: kept.get(owner) ?? UNTOLD }]))
    const most = Math.min(discoveredTokens, Math.ceil(discoveredPerRead / owners.length))
    const missing = owners.filter((owner) => !suffices(owner, most))
    if (missing.length === 0) return named()
    return lookUp(missing, most, context).then(named)
  }
  return {
    of: namesOf,
    keep,
    /** What was told last of an owner, however long ago; undefined = nothing, or too little where `most` are asked for. */
    known: (owner: string, most: number): FoundTokens | undefined => {
      const named = kept.get(owner)
      return isEnough(named, most) ? named : undefined
    },
  }
}
