import { internalIdOf } from './internal-id.ts'
import { KNOWN_TOKENS } from './known-tokens.ts'
import type { ListedToken } from './token.ts'
import type { ParsedList } from './token-list.ts'

const NONE: readonly ListedToken[] = []

const builtIn = (caip2Id: string): ListedToken[] =>
  (KNOWN_TOKENS[caip2Id] ?? []).map(([address, symbol, name, decimals]) => ({
    address,
    name,
    symbol,
    decimals,
    internalId: internalIdOf({ caip2Id, address }),
  }))

const sameToken = (a: ListedToken, b: ListedToken | undefined): boolean =>
  b !== undefined &&
  a.address === b.address &&
  a.name === b.name &&
  a.symbol === b.symbol &&
  a.decimals === b.decimals &&
  a.logoUri === b.logoUri &&
  a.internalId === b.internalId

interface Chain {
  version: number
  tokens: readonly ListedToken[]
  byAddress: ReadonlyMap<string, ListedToken>
}

const byAddress = (a: ListedToken, b: ListedToken): number =>
  a.address < b.address ? -1 : a.address > b.address ? 1 : 0

/** Merges lists per chain: the first list with an address wins, the built-in table comes last. */
const merge = (
  caip2Id: string,
  lists: readonly ParsedList[],
  withBuiltIn: boolean,
  most: number,
): Map<string, ListedToken> => {
  const merged = new Map<string, ListedToken>()
  const sources = lists.map((list) => list.tokens.get(caip2Id) ?? NONE)
  if (withBuiltIn) sources.push(builtIn(caip2Id))
  for (const tokens of sources)
    for (const token of tokens) {
      if (!merged.has(token.address) && merged.size < most) merged.set(token.address, token)
    }
  return merged
}

interface CatalogueOptions {
  /** Lists in force that apply to a chain, most important first. */
  lists: (caip2Id: string) => readonly ParsedList[]
  builtIn: boolean
  /** Tokens kept per chain; the least important ones are dropped. */
  maxTokensPerChain: number
}

/**
 * The tokens of each chain, sorted by address whatever the order in which lists arrived. A chain is merged on the first
 * request after a change, and keeps its array if nothing changed for it.
 */
export const createTokenCatalogue = ({ lists, builtIn: withBuiltIn, maxTokensPerChain }: CatalogueOptions) => {
  const chains = new Map<string, Chain>()
  let version = 0

  const chainOf = (caip2Id: string): Chain | undefined => {
    const known = chains.get(caip2Id)
    if (known?.version === version) return known
    const merged = merge(caip2Id, lists(caip2Id), withBuiltIn, maxTokensPerChain)
    // Chains that no list names are not cached: callers may ask for any chain id.
    if (merged.size === 0 && known === undefined) return undefined
    const tokens = [...merged.values()].sort(byAddress)
    const same =
      known?.tokens.length === tokens.length && tokens.every((token, at) => sameToken(token, known.tokens[at]))
    const chain = same ? { ...known, version } : { version, tokens, byAddress: merged }
    chains.set(caip2Id, chain)
    return chain
  }

  return {
    /** Same array while nothing changed. */
    tokens: (caip2Id: string): readonly ListedToken[] => chainOf(caip2Id)?.tokens ?? NONE,
    /** `address` in any case for EVM chains. */
    find: (caip2Id: string, address: string): ListedToken | undefined =>
      chainOf(caip2Id)?.byAddress.get(address.startsWith('0x') ? address.toLowerCase() : address),
    /** Marks the lists as changed. */
    changed: (): void => {
      version += 1
    },
  }
}
