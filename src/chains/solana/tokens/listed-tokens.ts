import type { KnownToken, TokenCatalogue } from '../../capabilities.ts'

/** Listed tokens by mint; indexed again only when the catalogue returns another array. A mint's first entry wins. */
export const createListedTokens = (
  catalogue: TokenCatalogue,
  caip2Id: string,
): (() => ReadonlyMap<string, KnownToken>) => {
  let source: readonly KnownToken[] | undefined
  let byMint: ReadonlyMap<string, KnownToken> = new Map()
  return () => {
    const tokens = catalogue.tokens(caip2Id)
    if (tokens === source) return byMint
    const next = new Map<string, KnownToken>()
    for (const token of tokens) if (!next.has(token.address)) next.set(token.address, token)
    source = tokens
    byMint = next
    return byMint
  }
}
