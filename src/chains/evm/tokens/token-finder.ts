import { LRUCache } from 'lru-cache'
import { BadAnswerError, DeadlineError, JsonRpcError } from '../../../errors.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { UpstreamPool } from '../../../upstream/types.ts'
import type { ReadContext } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'

/** Token contracts, lower-case; the same ones come first as long as the owner has them. */
export interface FoundTokens {
  tokens: readonly string[]
  /** The owner has more tokens. */
  more: boolean
}

interface TokenFinderDeps {
  pools: readonly UpstreamPool[]
  limits: EvmLimits
  /** A server that does not know the method, and one that could not be reached, is asked again after this. */
  askAgainMs: number
  askSoonMs: number
  /** A server has sent its first page: that it offers discovery is known before a long list is complete. */
  onAble(): void
}

interface Page {
  address?: unknown
  tokenBalances?: ({ contractAddress?: unknown; tokenBalance?: unknown } | null)[]
  pageKey?: unknown
}

/** A server is given up after this many pages, in case its pages name nothing. */
const MOST_PAGES = 200
/** This many unfinished lists are kept for this long, to be continued if the time ran out. */
const MOST_BEGUN = 100
const BEGUN_MS = 60_000
const METHOD_NOT_FOUND = -32601

/**
 * `alchemy_getTokenBalances` from any server that knows it; the result is undefined when no server does. Servers that
 * have known it before are asked first, one after the other, then all others at once. A server without it is left
 * out for a while. If a server that has known it says anything but that it does not know the method, it is in trouble;
 * the error is thrown when no other server answers.
 */
export function createTokenFinder({ pools, limits, askAgainMs, askSoonMs, onAble }: TokenFinderDeps) {
  const pagesOf = createPageReader(limits.discoveredTokens)
  const able = new Set<UpstreamPool>()
  const askAgainAt = new Map<UpstreamPool, number>()

  const refuses = (pool: UpstreamPool, error: unknown): boolean =>
    error instanceof JsonRpcError
      ? !able.has(pool) || error.rpcCode === METHOD_NOT_FOUND
      : !able.has(pool) && error instanceof BadAnswerError

  /** Undefined = the server does not know the method. */
  const askOne = async (pool: UpstreamPool, owner: string, context: ReadContext) => {
    try {
      return await pagesOf(pool, owner, context, () => {
        able.add(pool)
        onAble()
      })
    } catch (error) {
      const refused = !context.signal.aborted && refuses(pool, error)
      // A lone server is asked on every lookup.
      if (pools.length > 1 && !able.has(pool)) askAgainAt.set(pool, steadyNow() + (refused ? askAgainMs : askSoonMs))
      if (refused) return undefined
      throw error
    }
  }

  const firstOf = async (others: readonly UpstreamPool[], owner: string, context: ReadContext) => {
    const asked = others.map((pool) => askOne(pool, owner, context))
    const named = asked.map(async (answer) => (await answer) ?? Promise.reject(new Error('not known here')))
    try {
      return await Promise.any(named)
    } catch {
      // Throws the first error, if there is any.
      await Promise.all(asked)
      return undefined
    }
  }

  return async (owner: string, context: ReadContext): Promise<FoundTokens | undefined> => {
    const due = pools.filter((pool) => (askAgainAt.get(pool) ?? 0) <= steadyNow())
    let trouble: unknown
    for (const pool of due.filter((one) => able.has(one))) {
      try {
        const tokens = await askOne(pool, owner, context)
        if (tokens) return tokens
      } catch (error) {
        if (context.signal.aborted) throw error
        trouble ??= error
      }
    }
    const others = due.filter((pool) => !able.has(pool))
    const tokens = await firstOf(others, owner, context).catch((error: unknown) => {
      trouble ??= error
    })
    if (tokens) return tokens
    if (trouble !== undefined) throw trouble
    return undefined
  }
}

function namedTokens(page: Page, owner: string): string[] {
  if (!Array.isArray(page?.tokenBalances)) throw new BadAnswerError('token discovery answered with something else')
  // Another owner's tokens in place of the owner's would look as if these were spent.
  if (typeof page.address === 'string' && page.address.toLowerCase() !== owner)
    throw new BadAnswerError('token discovery answered for another owner')
  return page.tokenBalances.flatMap((entry) => {
    const { contractAddress, tokenBalance } = entry ?? {}
    if (typeof contractAddress !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(contractAddress)) return []
    // A bare 0x is Alchemy's word for an amount that it does not have.
    const zero = typeof tokenBalance === 'string' && /^0x0+$/.test(tokenBalance)
    return zero ? [] : [contractAddress.toLowerCase()]
  })
}

/** How far an owner's list has been read. */
interface Reading {
  pool: UpstreamPool
  tokens: Set<string>
  pages: number
  pageKey?: string
}

/** All pages of one owner, in the server's order, up to the allowed number of tokens. */
function createPageReader(most: number) {
  const begun = new LRUCache<string, Reading>({ ...roomFor(MOST_BEGUN), ttl: BEGUN_MS })

  /** True when there are more pages. */
  const readOn = async (
    reading: Reading,
    owner: string,
    { signal, deadline }: ReadContext,
    onPage: () => void,
  ): Promise<boolean> => {
    while (reading.pages < MOST_PAGES && reading.tokens.size <= most) {
      const { pageKey } = reading
      const params = [owner, 'erc20', ...(pageKey === undefined ? [] : [{ pageKey }])]
      const page = await reading.pool.rpc<Page>('', 'alchemy_getTokenBalances', params, { signal, deadline })
      const next = page?.pageKey
      if (next !== undefined && next === pageKey)
        throw new BadAnswerError('token discovery names a page as the next of itself')
      for (const token of namedTokens(page, owner)) reading.tokens.add(token)
      onPage()
      if (typeof next !== 'string' || next === '') return false
      reading.pageKey = next
      reading.pages++
    }
    return true
  }

  return async (pool: UpstreamPool, owner: string, context: ReadContext, onPage: () => void): Promise<FoundTokens> => {
    const left = begun.get(owner)
    const reading = left?.pool === pool ? left : { pool, tokens: new Set<string>(), pages: 0 }
    begun.delete(owner)
    try {
      const more = await readOn(reading, owner, context, onPage)
      return { tokens: [...reading.tokens].slice(0, most), more: more || reading.tokens.size > most }
    } catch (error) {
      // Continue later only if time ran out: other errors may come from the page that was reached.
      const isLate = context.signal.aborted || error instanceof DeadlineError
      if (isLate && reading.pages > 0) begun.set(owner, reading)
      throw error
    }
  }
}
