import { BadAnswerError, JsonRpcError } from '../../errors.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { ReadContext } from '../capabilities.ts'
import type { EvmLimits } from './limits.ts'

interface TokenFinderDeps {
  pools: readonly UpstreamPool[]
  path: string
  limits: EvmLimits
  /** A server that does not know the method, and one that could not be reached, is asked again after this. */
  askAgainMs: number
  askSoonMs: number
}

interface Page {
  address?: unknown
  tokenBalances?: ({ contractAddress?: unknown; tokenBalance?: unknown } | null)[]
  pageKey?: unknown
}

const mostPages = 20
const methodNotFound = -32601

/**
 * `alchemy_getTokenBalances` of whichever server knows it; the function's answer is undefined when nobody does. Servers
 * that have known it before are asked first, one after the other, then all others at once. A server without it is left
 * out for a while. One that has known it is in trouble when it says anything but that it does not know the method;
 * trouble is thrown when no other server answers.
 */
export function createTokenFinder({ pools, path, limits, askAgainMs, askSoonMs }: TokenFinderDeps) {
  const able = new Set<UpstreamPool>()
  const askAgainAt = new Map<UpstreamPool, number>()

  const refuses = (pool: UpstreamPool, error: unknown): boolean =>
    error instanceof JsonRpcError
      ? !able.has(pool) || error.rpcCode === methodNotFound
      : !able.has(pool) && error instanceof BadAnswerError

  /** Undefined = it does not know the method. */
  const askOne = async (pool: UpstreamPool, owner: string, context: ReadContext) => {
    try {
      const tokens = await pagesOf(pool, path, limits.discoveredTokens, owner, context)
      able.add(pool)
      return tokens
    } catch (error) {
      const refused = !context.signal.aborted && refuses(pool, error)
      // The only server is asked whenever somebody wants to know.
      if (pools.length > 1 && !able.has(pool)) askAgainAt.set(pool, Date.now() + (refused ? askAgainMs : askSoonMs))
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
      // Throws the trouble of the first that had any.
      await Promise.all(asked)
      return undefined
    }
  }

  return async (owner: string, context: ReadContext): Promise<readonly string[] | undefined> => {
    const due = pools.filter((pool) => (askAgainAt.get(pool) ?? 0) <= Date.now())
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
  // A stranger's tokens in place of the owner's would look as if these were spent.
  if (typeof page.address === 'string' && page.address.toLowerCase() !== owner)
    throw new BadAnswerError('token discovery answered for another owner')
  return page.tokenBalances.flatMap((entry) => {
    const { contractAddress, tokenBalance } = entry ?? {}
    if (typeof contractAddress !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(contractAddress)) return []
    const zero = typeof tokenBalance === 'string' && /^0x0*$/.test(tokenBalance)
    return zero ? [] : [contractAddress.toLowerCase()]
  })
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
    for (const token of namedTokens(answer, owner)) tokens.add(token)
    pageKey = typeof answer.pageKey === 'string' && answer.pageKey !== '' ? answer.pageKey : undefined
    if (pageKey === undefined || tokens.size >= most) break
  }
  return [...tokens].sort().slice(0, most)
}
