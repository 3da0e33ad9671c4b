import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { failure } from '../../../errors.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { TransientMap } from '../../../lib/transient-map.ts'
import { inTime } from '../../../lib/waiting/in-time.ts'
import type { UpstreamPool } from '../../../upstream/types.ts'
import type { Outcome, ReadContext } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'
import { createTokenFinder, type FoundTokens } from './token-finder.ts'

export type TokensByOwner = ReadonlyMap<string, Outcome<FoundTokens>>

/** An owner without unlisted tokens. */
export const NO_TOKENS: FoundTokens = { tokens: [], more: false }

/** An owner of whom nobody could tell, though somebody tells of others: there may be any tokens. */
export const UNTOLD: FoundTokens = { tokens: [], more: true }

/** Finds unlisted tokens that an owner holds. They are candidates only; amounts are read from the chain. */
export interface TokenDiscovery {
  /**
   * Token contracts per owner. An owner is an error when the upstream offers discovery, failed, and nothing older is
   * known: a list without the owner's tokens would look like a loss. Not a promise if no server is asked.
   */
  tokensOf(owners: readonly string[], context: ReadContext): TokensByOwner | Promise<TokensByOwner>
  /**
   * While it is unknown whether an upstream finds tokens at all: resolves with whether one does. `tokensOf` names none
   * until then. Undefined once it is known.
   */
  firstLook(owners: readonly string[]): Promise<boolean> | undefined
  /** True when tokens come from this machine, not over a network: then one call can ask for all tokens. */
  readonly isNear: boolean
}

/** Discovery by servers, some of which may not offer it. */
export interface OfferedDiscovery extends TokenDiscovery {
  /** True once one of them is known to offer it. */
  readonly isOffered: boolean
}

export interface TokenDiscoveryDeps {
  /** Asked in this order: servers that find tokens are often mixed with servers that do not. */
  pools: readonly UpstreamPool[]
  limits: EvmLimits
  logger?: Pick<Logger, 'debug'>
}

interface Kept {
  found: FoundTokens
  at: number
}

/** An upstream that does not know the method is asked again after this. */
const ASK_AGAIN_MS = 3_600_000
/** An upstream that could not be reached is asked again after this. */
const ASK_SOON_MS = 10_000
const BACKGROUND_MS = 10_000
const MOST_BACKGROUND = 50
/** An owner with this many tokens has a list of ten pages: longer lists are read again less often. */
const TOKENS_OF_TEN_PAGES = 1_000

/** `alchemy_getTokenBalances(owner, "erc20", {pageKey})`: hex balances by contract, zero ones included. */
export function createTokenDiscovery(deps: TokenDiscoveryDeps): OfferedDiscovery {
  const leastWeight = Math.ceil(deps.limits.discoveredKept / deps.limits.cacheEntries)
  const found = new LRUCache<string, Kept>({
    maxSize: deps.limits.discoveredKept,
    // No more owners than `cacheEntries`, without `max`: see `roomFor`.
    sizeCalculation: ({ found: { tokens } }) => Math.max(tokens.length + 1, leastWeight),
  })
  const background = new TransientMap<string, Promise<void>>()
  let offered: boolean | undefined
  let looking: Promise<void> | undefined
  let askAgainAt = 0

  let begun = (): void => {}
  const heldTokens = createTokenFinder({
    ...deps,
    askAgainMs: ASK_AGAIN_MS,
    askSoonMs: ASK_SOON_MS,
    onAble: () => {
      offered = true
      begun()
    },
  })

  /** Undefined when no upstream knows the method. */
  const fetchTokens = async (owner: string, context: ReadContext): Promise<FoundTokens | undefined> => {
    const tokens = await heldTokens(owner, context)
    if (tokens) found.set(owner, { found: tokens, at: steadyNow() })
    return tokens
  }

  const tryToFetch = async (owner: string): Promise<void> => {
    try {
      await fetchTokens(owner, { signal: AbortSignal.timeout(BACKGROUND_MS), deadline: Date.now() + BACKGROUND_MS })
    } catch (error) {
      // A refusal is an answer; a broken connection is not.
      askAgainAt = steadyNow() + ASK_SOON_MS
      deps.logger?.debug({ pool: deps.pools[0]?.name, err: error }, 'no token discovery')
    } finally {
      offered ??= false
      background.delete(owner)
    }
  }

  /** No reader waits for this: the next read knows whether the method exists, and the newer tokens. */
  const inBackground = (owner: string): Promise<void> => {
    const running = background.get(owner)
    if (running || background.size >= MOST_BACKGROUND) return running ?? Promise.resolve()
    const fetching = tryToFetch(owner)
    background.set(owner, fetching)
    return fetching
  }

  const probe = (owner: string): void => {
    if (steadyNow() < askAgainAt) return
    askAgainAt = steadyNow() + ASK_AGAIN_MS
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    looking = Promise.race([inBackground(owner), isBegun]).finally(() => {
      looking = undefined
    })
  }

  const remembered = (owner: string): Outcome<FoundTokens> | undefined => {
    const known = found.get(owner)
    if (!known) return undefined
    const keptMs = deps.limits.discoveryMs * Math.max(1, known.found.tokens.length / TOKENS_OF_TEN_PAGES)
    if (known.at + keptMs < steadyNow()) void inBackground(owner)
    return { ok: true, value: known.found }
  }

  const tokensOfOne = async (owner: string, context: ReadContext): Promise<Outcome<FoundTokens>> => {
    // The owner's list may be on its way already.
    if (!found.has(owner)) await waitFor(background.get(owner), context)
    const known = remembered(owner)
    if (known) return known
    try {
      // If the method has gone, there is nothing to wait for.
      return { ok: true, value: (await fetchTokens(owner, context)) ?? UNTOLD }
    } catch (error) {
      return failure(error)
    }
  }

  const tokensOfAll = async (owners: readonly string[], context: ReadContext): Promise<TokensByOwner> => {
    const outcomes = await Promise.all(owners.map((owner) => tokensOfOne(owner, context)))
    return new Map(owners.map((owner, index) => [owner, outcomes[index] ?? { ok: true, value: NO_TOKENS }]))
  }

  return {
    isNear: false,
    get isOffered() {
      return offered === true
    },
    firstLook: ([first]) => {
      if (offered !== undefined) return undefined
      if (first !== undefined) probe(first)
      return looking?.then(() => offered === true)
    },
    tokensOf: (owners, context) => {
      if (offered) {
        return owners.every((owner) => found.has(owner))
          ? new Map(owners.map((owner) => [owner, remembered(owner) ?? { ok: true, value: NO_TOKENS }]))
          : tokensOfAll(owners, context)
      }
      const [first] = owners
      if (first !== undefined) probe(first)
      return new Map(owners.map((owner) => [owner, { ok: true, value: NO_TOKENS }]))
    },
  }
}

/** Waits for shared work, until the reader's time is over or the reader has left. */
export async function waitFor(work: Promise<void> | undefined, { signal, deadline }: ReadContext): Promise<void> {
  if (work) await inTime(work, deadline - Date.now(), () => undefined, signal)
}
