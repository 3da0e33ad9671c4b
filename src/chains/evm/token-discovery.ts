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
  pool: UpstreamPool
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
const backgroundMs = 10_000
/** The first readers of a chain wait this long, or a third of their time, to learn whether its upstream finds tokens. */
const firstLookMs = 2_000
const mostBackground = 50
const mostPages = 20

/** `alchemy_getTokenBalances(owner, "erc20", {pageKey})`: hex balances by contract, zero ones included. */
export function createTokenDiscovery(deps: TokenDiscoveryDeps): TokenDiscovery {
  const found = new LRUCache<string, Found>({ max: deps.limits.cacheEntries })
  const background = new Set<string>()
  let offered: boolean | undefined
  let looking: Promise<void> | undefined
  let askAgainAt = 0

  const fetchTokens = async (owner: string, context: ReadContext): Promise<Found> => {
    const result = { tokens: await heldTokens(deps, owner, context), at: Date.now() }
    found.set(owner, result)
    return result
  }

  /** No reader waits for it: whether the method exists, and newer tokens, are known at the next read. */
  const inBackground = async (owner: string): Promise<void> => {
    if (background.has(owner) || background.size >= mostBackground) return
    background.add(owner)
    try {
      await fetchTokens(owner, { signal: AbortSignal.timeout(backgroundMs), deadline: Date.now() + backgroundMs })
      offered = true
    } catch (error) {
      offered = offered === true
      // A refusal is an answer; a broken line is not, so ask again soon.
      if (!isRefusal(error)) askAgainAt = Date.now() + backgroundMs
      deps.logger?.debug({ pool: deps.pool.name, err: error }, 'no token discovery')
    } finally {
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
      return { ok: true, value: (await fetchTokens(owner, context)).tokens }
    } catch (error) {
      // Pools may mix servers with and without the method; where it is missing there is nothing to wait for.
      if (isRefusal(error)) return { ok: true, value: [] }
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

const isRefusal = (error: unknown): boolean => error instanceof JsonRpcError || error instanceof BadAnswerError

function namedTokens(page: Page): string[] {
  if (!Array.isArray(page?.tokenBalances)) throw new BadAnswerError('token discovery answered with something else')
  return page.tokenBalances.flatMap(({ contractAddress, tokenBalance }) => {
    if (typeof contractAddress !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(contractAddress)) return []
    const zero = typeof tokenBalance === 'string' && /^0x0*$/.test(tokenBalance)
    return zero ? [] : [contractAddress.toLowerCase()]
  })
}

/** All pages of one owner, in address order, at most as many tokens as the limits allow. */
async function heldTokens(deps: TokenDiscoveryDeps, owner: string, context: ReadContext): Promise<readonly string[]> {
  const { signal, deadline } = context
  const tokens = new Set<string>()
  let pageKey: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const params = [owner, 'erc20', ...(pageKey === undefined ? [] : [{ pageKey }])]
    const answer = await deps.pool.rpc<Page>(deps.path, 'alchemy_getTokenBalances', params, { signal, deadline })
    for (const token of namedTokens(answer)) tokens.add(token)
    pageKey = typeof answer.pageKey === 'string' && answer.pageKey !== '' ? answer.pageKey : undefined
    if (pageKey === undefined || tokens.size >= deps.limits.discoveredTokens) break
  }
  return [...tokens].sort().slice(0, deps.limits.discoveredTokens)
}
