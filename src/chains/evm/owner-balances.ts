import { BadAnswerError } from '../../errors.ts'
import type { EvmBalances, Outcome, TokenAmount } from '../capabilities.ts'
import { NATIVE_TOKEN } from './read/reader-types.ts'
import type { SweepResult } from './sweep/sweep-tally.ts'
import type { ListedTokens } from './tokens/listed-tokens.ts'
import type { TokenMetadata } from './tokens/token-metadata.ts'

/** What is known about the tokens of one owner. */
export interface TokenKnowledge {
  /** `eip155:<chain id>` */
  caip2Id: string
  listed: ListedTokens
  /** Unlisted tokens found for this owner; tokens found only for other owners are not shown. */
  own: readonly string[]
  /** Owners with more unlisted tokens than were read. */
  cut: ReadonlySet<string>
  /** Metadata of `undescribedTokens`, and the error that kept the rest from being read. */
  told: ReadonlyMap<string, TokenMetadata>
  trouble?: Error
  /** Decimals that held tokens report together with their balances. */
  decimalsOf: (token: string) => number | undefined
  /** See `createNativeUnit`. */
  nativeOf: (counted: bigint) => bigint
  /** See TokenAmount; undefined = it has none. */
  multiplierOf: (token: string) => number | null | undefined
}

/**
 * Unlisted tokens with a balance, which the chain has to describe. Those of owners with few tokens come first, because
 * the time may not suffice for all.
 */
export function undescribedTokens(
  { amounts }: SweepResult,
  unlisted: ReadonlyMap<string, readonly string[]>,
): string[] {
  const ofEach = [...amounts].map(([owner, held]) => (unlisted.get(owner) ?? []).filter((token) => held.has(token)))
  return [...new Set(ofEach.sort((one, other) => one.length - other.length).flat())]
}

/** One owner's part of a sweep, tokens in address order. An error when a held token could not be described. */
export function balancesOf({ amounts }: SweepResult, owner: string, known: TokenKnowledge): Outcome<EvmBalances> {
  const held = amounts.get(owner) ?? new Map<string, bigint>()
  const tokens: TokenAmount[] = []
  const own = new Set(known.own)
  for (const [address, balance] of [...held].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const listed = known.listed.get(address)
    if (!listed && !own.has(address)) continue
    const uiMultiplier = known.multiplierOf(address)
    const amount = { balance, ...(uiMultiplier !== undefined && { uiMultiplier }) }
    const decimals = known.decimalsOf(address)
    if (listed) {
      // A list with wrong decimals moves the decimal point; its value counts only if the token gives none.
      tokens.push({ ...listed, decimals: decimals ?? listed.decimals, ...amount })
      continue
    }
    const told = known.told.get(address)
    if (!told) return { ok: false, error: known.trouble ?? new BadAnswerError('a token was not described') }
    const shown = describe(address, { ...told, ...(decimals !== undefined && { decimals }) })
    // Wallets find a token again by this id, for a swap for example. Listed ones may have that of another chain.
    if (shown) tokens.push({ ...shown, internalId: `${known.caip2Id}-${address}`, ...amount })
  }
  const native = known.nativeOf(held.get(NATIVE_TOKEN) ?? 0n)
  return { ok: true, value: { native, tokens, ...(known.cut.has(owner) && { hasMore: true }) } }
}

/** Without decimals an amount has no meaning, so such a token is not shown. Missing names are replaced. */
function describe(
  address: string,
  { name, symbol, decimals }: TokenMetadata,
): Omit<TokenAmount, 'balance'> | undefined {
  if (decimals === undefined) return undefined
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`
  return { address, name: name ?? symbol ?? short, symbol: symbol ?? name ?? short, decimals }
}
