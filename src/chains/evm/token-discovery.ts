import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { BadAnswerError, JsonRpcError } from '../../errors.ts'
import { untilAborted } from '../../lib/until-aborted.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import type { EvmLimits } from './limits.ts'

/** Finds tokens that an owner holds and no list names. It names candidates only; amounts are read from the chain. */
export interface TokenDiscovery {
  /**
   * Token contracts (lower-case) per owner. An owner is an error when the upstream offers discovery, failed, and
   * nothing older is known: a list without the owner's tokens would look like a loss.
   */
  tokensOf(owners: readonly string[], context: ReadContext): Promise<Map<string, Outcome<readonly string[]>>>
}

export interface TokenDiscoveryDeps {
  /** Asked in this order: servers that find tokens are often mixed with servers that cannot. */
  pools: readonly UpstreamPool[]
  path: string
  limits: EvmLimits
  logger?: Pick<Logger, 'debug'>
}

interface Page {
  tokenBalances?: { contractAddress?: unknown; tokenBalance?: unknown }[]
  pageKey?: unknown
}

interface Found {
  tokens: readonly string[]
  at: number
}

/** An upstream that does not know the method is asked again after this. */
const askAgainMs = 3_600_000
/** One that could not be reached is asked again after this. */
const askSoonMs = 10_000
const backgroundMs = 10_000
/** The first readers of a chain wait this long, or a third of their time, to learn whether its upstream finds tokens. */
const firstLookMs = 2_000
const mostBackground = 50
const mostPages = 20
const methodNotFound = -32601

/** `alchemy_getTokenBalances(owner, "erc20", {pageKey})`: hex balances by contract, zero ones included. */
export function createTokenDiscovery(deps: TokenDiscoveryDeps): TokenDiscovery {
  const found = new LRUCache<string, Found>({ max: deps.limits.cacheEntries })
  const background = new Set<string>()
  const heldTokens = createFinder(deps)
  let offered: boolean | undefined
  let looking: Promise<void> | undefined
  let askAgainAt = 0

  /** Undefined when no upstream knows the method. */
  const fetchTokens = async (owner: string, context: ReadContext): Promise<readonly string[] | undefined> => {
    const tokens = await heldTokens(owner, context)
    if (tokens) {
      found.set(owner, { tokens, at: Date.now() })
      offered = true
    }
    return tokens
  }

  /** No reader waits for it: whether the method exists, and newer tokens, are known at the next read. */
  const inBackground = async (owner: string): Promise<void> => {
    if (background.has(owner) || background.size >= mostBackground) return
    background.add(owner)
    try {
      await fetchTokens(owner, { signal: AbortSignal.timeout(backgroundMs), deadline: Date.now() + backgroundMs })
    } catch (error) {
      // A refusal is an answer; a broken line is not.
      askAgainAt = Date.now() + askSoonMs
      deps.logger?.debug({ pool: deps.pools[0]?.name, err: error }, 'no token discovery')
    } finally {
      offered ??= false
      background.delete(owner)
    }
  }

  const probe = (owner: string): void => {
    if (Date.now() < askAgainAt) return
    askAgainAt = Date.now() + askAgainMs
    looking = inBackground(owner).finally(() => {
      looking = undefined
    })
  }

  const tokensOfOne = async (owner: string, context: ReadContext): Promise<Outcome<readonly string[]>> => {
    const known = found.get(owner)
    if (known) {
      if (known.at + deps.limits.discoveryMs < Date.now()) void inBackground(owner)
      return { ok: true, value: known.tokens }
    }
    try {
      // Where the method has gone there is nothing to wait for.
      return { ok: true, value: (await fetchTokens(owner, context)) ?? [] }
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error : new Error(String(error)) }
    }
  }

  return {
    tokensOf: async (owners, context) => {
      const [first] = owners
      if (!offered && first !== undefined) {
        probe(first)
        // An answer without tokens that a restart made us forget would look as if they were spent.
        if (offered === undefined && looking) await atMost(looking, context)
      }
      if (!offered) {
        return new Map(owners.map((owner) => [owner, { ok: true, value: [] }]))
      }
      const outcomes = await Promise.all(owners.map((owner) => tokensOfOne(owner, context)))
      return new Map(owners.map((owner, index) => [owner, outcomes[index] ?? { ok: true, value: [] }]))
    },
  }
}

/** Resolves with the work, or when the reader should go on without it; rejects when the reader has left. */
async function atMost(work: Promise<void>, { signal, deadline }: ReadContext): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(firstLookMs, (deadline - Date.now()) / 3))
  })
  try {
    await untilAborted(Promise.race([work, late]), signal)
  } finally {
    clearTimeout(timer)
  }
}

function namedTokens(page: Page): string[] {
  if (!Array.isArray(page?.tokenBalances)) throw new BadAnswerError('token discovery answered with something else')
  return page.tokenBalances.flatMap(({ contractAddress, tokenBalance }) => {
    if (typeof contractAddress !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(contractAddress)) return []
    const zero = typeof tokenBalance === 'string' && /^0x0*$/.test(tokenBalance)
    return zero ? [] : [contractAddress.toLowerCase()]
  })
}

/**
 * Asks one server after the other, those first that have known the method before; undefined when nobody knows it. A
 * server without it is left out for a while. One that has known it is in trouble when it says anything but that it does
 * not know the method; trouble is thrown when no other server answers.
 */
function createFinder({ pools, path, limits }: TokenDiscoveryDeps) {
  const able = new Set<UpstreamPool>()
  const askAgainAt = new Map<UpstreamPool, number>()

  const refuses = (pool: UpstreamPool, error: unknown): boolean =>
    error instanceof JsonRpcError
      ? !able.has(pool) || error.rpcCode === methodNotFound
      : !able.has(pool) && error instanceof BadAnswerError

  const candidates = (): UpstreamPool[] => {
    const due = pools.filter((pool) => (askAgainAt.get(pool) ?? 0) <= Date.now())
    return [...due.filter((pool) => able.has(pool)), ...due.filter((pool) => !able.has(pool))]
  }

  return async (owner: string, context: ReadContext): Promise<readonly string[] | undefined> => {
    let trouble: unknown
    for (const pool of candidates()) {
      try {
        const tokens = await pagesOf(pool, path, limits.discoveredTokens, owner, context)
        able.add(pool)
        return tokens
      } catch (error) {
        if (context.signal.aborted) throw error
        const refused = refuses(pool, error)
        if (!refused) trouble ??= error
        // The only server is asked whenever somebody wants to know.
        if (pools.length > 1 && !able.has(pool)) askAgainAt.set(pool, Date.now() + (refused ? askAgainMs : askSoonMs))
      }
    }
    if (trouble !== undefined) throw trouble
    return undefined
  }
}

/** All pages of one owner, in address order, at most as many tokens as allowed. */
async function pagesOf(
  pool: UpstreamPool,
  path: string,
  most: number,
  owner: string,
  { signal, deadline }: ReadContext,
): Promise<readonly string[]> {
  const tokens = new Set<string>()
  let pageKey: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const params = [owner, 'erc20', ...(pageKey === undefined ? [] : [{ pageKey }])]
    const answer = await pool.rpc<Page>(path, 'alchemy_getTokenBalances', params, { signal, deadline })
    for (const token of namedTokens(answer)) tokens.add(token)
    pageKey = typeof answer.pageKey === 'string' && answer.pageKey !== '' ? answer.pageKey : undefined
    if (pageKey === undefined || tokens.size >= most) break
  }
  return [...tokens].sort().slice(0, most)
}
