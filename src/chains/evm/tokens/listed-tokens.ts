import { isNativeInDisguise } from '../../../facts/native-in-disguise.ts'
import type { KnownToken, TokenCatalogue } from '../../capabilities.ts'

/** A chain's listed tokens by lower-case address, in address order. */
export type ListedTokens = ReadonlyMap<string, KnownToken>

/** Reads the catalogue; indexes each array it returns only once. The first entry of an address wins. */
export function createListedTokens(catalogue: TokenCatalogue, caip2Id: string): () => ListedTokens {
  let source: readonly KnownToken[] | undefined
  let listed: ListedTokens = new Map()
  return () => {
    const tokens = catalogue.tokens(caip2Id)
    if (tokens === source) return listed
    const byAddress = new Map<string, KnownToken>()
    for (const token of tokens) {
      const address = token.address.toLowerCase()
      if (!/^0x[0-9a-f]{40}$/.test(address) || isNativeInDisguise(caip2Id, address) || byAddress.has(address)) continue
      byAddress.set(address, listedToken(token, address))
    }
    source = tokens
    listed = new Map([...byAddress].sort(([a], [b]) => (a < b ? -1 : 1)))
    return listed
  }
}

/** Lists have more members than a balance shows. */
const listedToken = ({ name, symbol, decimals, logoUri, internalId }: KnownToken, address: string): KnownToken => ({
  address,
  name,
  symbol,
  decimals,
  ...(logoUri !== undefined && { logoUri }),
  ...(internalId !== undefined && { internalId }),
})
