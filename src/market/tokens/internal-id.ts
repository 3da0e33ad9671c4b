import { KNOWN_TOKENS } from './known-tokens.ts'
import type { TokenPlace } from './token-address.ts'

const ETHEREUM = 'eip155:1'

/**
 * Wrapped by Binance itself, and therefore separate coins to price providers although they have the symbol of the
 * original. BUSD was issued there, too.
 */
const OWN_COINS: ReadonlySet<string> = new Set(['USDC', 'USDT', 'WETH', 'BUSD'].map((symbol) => `eip155:56/${symbol}`))
/** Main networks whose well-known tokens are the same coins as on Ethereum. */
const SAME_COINS = ['eip155:10', 'eip155:56', 'eip155:137', 'eip155:8453', 'eip155:42161', 'eip155:43114']
/** Bridged under another symbol. */
const RENAMED: ReadonlyMap<string, string> = new Map([['DAI.e', 'DAI']])

const buildCanonical = (): ReadonlyMap<string, string> => {
  const originals = new Map((KNOWN_TOKENS[ETHEREUM] ?? []).map(([address, symbol]) => [symbol, address]))
  const canonical = new Map<string, string>()
  for (const chain of SAME_COINS)
    for (const [address, symbol] of KNOWN_TOKENS[chain] ?? []) {
      const original = originals.get(RENAMED.get(symbol) ?? symbol)
      if (original !== undefined && !OWN_COINS.has(`${chain}/${symbol}`)) canonical.set(`${chain}/${address}`, original)
    }
  return canonical
}

const CANONICAL = buildCanonical()

/**
 * Identity of a token over all chains: `eip155:<chain>-<address>` of its canonical deployment, Ethereum first, if the
 * list (`original`, an Ethereum address) or the built-in table has it, else its own. Lower case throughout, including
 * mints, as wallets know them.
 */
export const internalIdOf = ({ caip2Id, address }: TokenPlace, original?: string): string => {
  const known = caip2Id === ETHEREUM ? undefined : (original ?? CANONICAL.get(`${caip2Id}/${address}`))
  return known === undefined ? `${caip2Id}-${address.toLowerCase()}` : `${ETHEREUM}-${known.toLowerCase()}`
}
