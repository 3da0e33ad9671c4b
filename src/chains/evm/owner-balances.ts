import type { EvmBalances, Outcome, TokenAmount } from '../capabilities.ts'
import type { ListedTokens } from './known-tokens.ts'
import { nativeToken } from './reader-types.ts'
import type { SweepResult } from './sweep-tally.ts'
import type { TokenMetadata } from './token-metadata.ts'

/** What is known about the tokens of one owner. */
export interface TokenKnowledge {
  listed: ListedTokens
  /** Unlisted tokens that were found for this owner; another owner's finds are not shown here. */
  own: readonly string[]
  /** Metadata of unlisted tokens, or why it could not be read. */
  unlisted: ReadonlyMap<string, TokenMetadata> | Error
}

/** Tokens with a balance that no list describes. */
export const unlistedTokens = ({ amounts }: SweepResult, listed: ListedTokens): string[] => [
  ...new Set(
    [...amounts.values()].flatMap((held) =>
      [...held.keys()].filter((token) => token !== nativeToken && !listed.has(token)),
    ),
  ),
]

/** One owner's part of a sweep, tokens in address order. An error when a held token could not be described. */
export function balancesOf(
  { amounts, block }: SweepResult,
  owner: string,
  known: TokenKnowledge,
): Outcome<EvmBalances> {
  const held = amounts.get(owner) ?? new Map<string, bigint>()
  const tokens: TokenAmount[] = []
  for (const [address, balance] of [...held].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const listed = known.listed.get(address)
    if (!listed && !known.own.includes(address)) continue
    if (!listed && known.unlisted instanceof Error) return { ok: false, error: known.unlisted }
    const shown = listed ?? describe(address, known.unlisted instanceof Error ? {} : known.unlisted.get(address))
    if (shown) tokens.push({ ...shown, balance })
  }
  return { ok: true, value: { native: held.get(nativeToken) ?? 0n, tokens, blockNumber: block.number } }
}

/** An amount without decimals has no meaning, so such a token is not shown. Names fall back to what there is. */
function describe(
  address: string,
  { name, symbol, decimals }: TokenMetadata = {},
): Omit<TokenAmount, 'balance'> | undefined {
  if (decimals === undefined) return undefined
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`
  return { address, name: name ?? symbol ?? short, symbol: symbol ?? name ?? short, decimals }
}
