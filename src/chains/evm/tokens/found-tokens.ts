import { isNativeInDisguise } from '../../../facts/native-in-disguise.ts'
import type { TokenCatalogue } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'
import type { Rectangle } from '../sweep/sweep-plan.ts'
import type { TokensByOwner } from './token-discovery.ts'

/** Unlisted tokens to read. */
export interface UnlistedTokens {
  /** By owner; owners without any are left out. */
  tokens: ReadonlyMap<string, readonly string[]>
  /** Owners who have more. */
  cut: ReadonlySet<string>
}

interface FoundTokensDeps {
  caip2Id: string
  catalogue: TokenCatalogue
  limits: EvmLimits
  /** @param readOwners all owners of the read */
  isUnreadable: (token: string, owner: string, readOwners: readonly string[]) => boolean
}

/** Most tokens with a fixed verdict that are added for an owner with too many tokens. */
export const MOST_VOUCHED = 1_000

/**
 * The tokens found for each owner that are unlisted and not just the native coin. Anybody can send anybody any number
 * of tokens: of an owner with too many, those found first are read, and all that somebody vouches for.
 */
export function createFoundTokens({ caip2Id, catalogue, limits, isUnreadable }: FoundTokensDeps) {
  return (
    found: TokensByOwner,
    readOwners: readonly string[],
    isListed: (token: string) => boolean,
  ): UnlistedTokens => {
    const isUnlisted = (token: string): boolean => !isListed(token) && !isNativeInDisguise(caip2Id, token)
    const candidates = new Map<string, readonly string[]>()
    const cut = new Set<string>()
    for (const [owner, outcome] of found) {
      if (!outcome.ok) continue
      const isAsked = (token: string): boolean => isUnlisted(token) && !isUnreadable(token, owner, readOwners)
      candidates.set(owner, outcome.value.tokens.filter(isAsked))
      if (outcome.value.more) cut.add(owner)
    }
    const sizes = [...candidates.values()].map(({ length }) => length)
    const most = Math.min(limits.discoveredTokens, shareOf(sizes, limits.discoveredPerRead))
    const tokens = new Map<string, readonly string[]>()
    let vouched: string[] | undefined
    for (const [owner, own] of candidates) {
      if (own.length > most) cut.add(owner)
      const shown = own.slice(0, most)
      if (cut.has(owner)) vouched ??= vouchedTokens(isUnlisted)
      const besides = cut.has(owner) ? (vouched ?? []).filter((token) => !isUnreadable(token, owner, readOwners)) : []
      const all = besides.length === 0 ? shown : [...new Set([...shown, ...besides])]
      if (all.length > 0) tokens.set(owner, all)
    }
    return { tokens, cut }
  }

  function vouchedTokens(isUnlisted: (token: string) => boolean): string[] {
    const all = (catalogue.vouched?.(caip2Id) ?? []).map((token) => token.toLowerCase())
    return all.filter((token) => /^0x[0-9a-f]{40}$/.test(token) && isUnlisted(token)).slice(0, MOST_VOUCHED)
  }
}

/** The largest share for each, so that all together have no more than `most`: owners with few keep all of theirs. */
export function shareOf(sizes: readonly number[], most: number): number {
  let left = most
  const ascending = [...sizes].sort((a, b) => a - b)
  for (const [at, size] of ascending.entries()) {
    const share = Math.floor(left / (sizes.length - at))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

/** Most pairs in a joint rectangle per wanted pair; otherwise the tokens are read apart. */
const MOST_WASTE = 4
/** Most unlisted tokens that are read with the common ones. More get separate calls, so that only their owner waits. */
const MOST_TOGETHER = 1_000

/** One rectangle over all holders while that stays small, else one for each: airdrops differ between owners. */
export function inRectangles(extras: UnlistedTokens['tokens'], pairsPerCall: number): Rectangle[] {
  const owners = [...extras.keys()]
  const tokens = union(extras)
  if (tokens.length === 0) return []
  if (tokens.length <= MOST_TOGETHER && owners.length * tokens.length <= pairsPerCall)
    return [{ owners, tokens, unlisted: new Set(tokens) }]
  return [...extras].map(([owner, own]) => ({ owners: [owner], tokens: own, unlisted: new Set(own) }))
}

/** The common tokens and the found ones, if that stays small: each further call waits for the first. */
export function joined(
  { owners, tokens }: Rectangle,
  extras: UnlistedTokens['tokens'],
  pairsPerCall: number,
): Rectangle | undefined {
  const found = union(extras)
  const all = [...tokens, ...found]
  const wanted = [...extras.values()].reduce((sum, own) => sum + own.length, 0)
  const wasteful = owners.length * found.length > MOST_WASTE * wanted
  const fits = found.length <= MOST_TOGETHER && owners.length * all.length <= pairsPerCall
  return wasteful || !fits ? undefined : { owners, tokens: all, unlisted: new Set(found) }
}

const union = (extras: UnlistedTokens['tokens']): string[] => [...new Set([...extras.values()].flat())].sort()
