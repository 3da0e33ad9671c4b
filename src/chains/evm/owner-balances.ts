import { BadAnswerError } from '../../errors.ts'
import type { EvmBalances, KnownToken, Outcome, TokenAmount } from '../capabilities.ts'
import type { ListedTokens } from './known-tokens.ts'
import { nativeToken } from './reader-types.ts'
import type { SweepResult } from './sweep-tally.ts'
import type { TokenMetadata } from './token-metadata.ts'

/** What is known about the tokens of one owner. */
export interface TokenKnowledge {
  listed: ListedTokens
  /** Unlisted tokens that were found for this owner; another owner's finds are not shown here. */
  own: readonly string[]
  /** Owners who have more unlisted tokens than were looked at. */
  cut: ReadonlySet<string>
  /** Metadata of `undescribedTokens`, and why that of the others could not be read. */
  told: ReadonlyMap<string, TokenMetadata>
  trouble?: Error
  /** See TokenAmount; undefined = it has none. */
  multiplierOf: (token: string) => number | null | undefined
}

const isDescribed = (token: KnownToken | undefined): token is KnownToken =>
  token !== undefined && !token.decimalsDisputed

/**
 * Tokens with a balance that the chain has to describe: on no list, or on several that disagree about its decimals.
 * Those of owners who hold few come first: the time may not do for all.
 */
export function undescribedTokens(
  { amounts }: SweepResult,
  listed: ListedTokens,
  unlisted: ReadonlyMap<string, readonly string[]>,
): string[] {
  const ofEach = [...amounts].map(([owner, held]) => [
    ...[...held.keys()].filter((token) => listed.get(token)?.decimalsDisputed),
    ...(unlisted.get(owner) ?? []).filter((token) => held.has(token)),
  ])
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
    if (isDescribed(listed)) {
      tokens.push({ ...listed, ...amount })
      continue
    }
    const told = known.told.get(address)
    if (!told) return { ok: false, error: known.trouble ?? new BadAnswerError('a token was not described') }
    const shown = listed ? settled(listed, told) : describe(address, told)
    if (shown) tokens.push({ ...shown, ...amount })
  }
  const native = held.get(nativeToken) ?? 0n
  return { ok: true, value: { native, tokens, ...(known.cut.has(owner) && { hasMore: true }) } }
}

/** As the list says, but with the chain's decimals; those of the first list where the token itself tells none. */
function settled({ decimalsDisputed: _, ...listed }: KnownToken, { decimals }: TokenMetadata = {}): KnownToken {
  return { ...listed, decimals: decimals ?? listed.decimals }
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
