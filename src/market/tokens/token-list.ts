import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { BadAnswerError } from '../../errors.ts'
import { isNativeInDisguise } from '../../facts/native-in-disguise.ts'
import { displayText } from '../../lib/display-text.ts'
import { internalIdOf } from './internal-id.ts'
import { logoUri } from './logo-uri.ts'
import type { ListedToken, TokensByChain } from './token.ts'
import { placeOf, type TokenPlace } from './token-address.ts'

/** Longest texts that are kept, in characters. The format itself allows 60 and 20. */
const NAME_LENGTH = 64
const SYMBOL_LENGTH = 24

/** tokenlists.org: an object with `tokens`; Solana's lists are often a bare array. Entries are checked individually. */
const ListSchema = Type.Union([Type.Object({ tokens: Type.Array(Type.Unknown()) }), Type.Array(Type.Unknown())])

/** The members used of an entry, in the spellings of tokenlists.org, of Solana's old list and of Jupiter's API. */
const EntrySchema = Type.Object({
  chainId: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()])),
  address: Type.Optional(Type.String({ maxLength: 64 })),
  /** Jupiter: the mint. */
  id: Type.Optional(Type.Unknown()),
  name: Type.String({ minLength: 1 }),
  symbol: Type.String({ minLength: 1 }),
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  logoURI: Type.Optional(Type.Unknown()),
  logoUri: Type.Optional(Type.Unknown()),
  icon: Type.Optional(Type.Unknown()),
  /** Jupiter also lists unverified tokens. */
  isVerified: Type.Optional(Type.Unknown()),
  extensions: Type.Optional(Type.Unknown()),
})
type Entry = Static<typeof EntrySchema>

const listCheck = TypeCompiler.Compile(ListSchema)
const entryCheck = TypeCompiler.Compile(EntrySchema)

/** A parsed list: its tokens by chain, and how many entries were left out. */
export interface ParsedList {
  tokens: TokensByChain
  taken: number
  skipped: number
}

interface ParseOptions {
  /** The chain that entries without a chain number belong to. */
  home?: string
  /** Entries beyond this are left out. */
  maxTokens: number
}

/** `extensions.bridgeInfo`: chain number → `{tokenAddress}` of the same token there. */
const bridgesOf = ({ extensions }: Entry): [chainId: string, address: string][] => {
  const info = (extensions as { bridgeInfo?: unknown } | null | undefined)?.bridgeInfo
  if (typeof info !== 'object' || info === null) return []
  return Object.entries(info).flatMap(([chainId, bridge]) => {
    const address = (bridge as { tokenAddress?: unknown } | null)?.tokenAddress
    const place = typeof address === 'string' ? placeOf(address, Number(chainId)) : undefined
    return place === undefined ? [] : [[chainId, place.address]]
  })
}

const placeOfEntry = (entry: Entry, home: string | undefined): TokenPlace | undefined => {
  const address = entry.address ?? (typeof entry.id === 'string' ? entry.id : undefined)
  if (address === undefined || entry.isVerified === false) return undefined
  const place = placeOf(address, entry.chainId ?? undefined, home)
  return place === undefined || isNativeInDisguise(place.caip2Id, place.address) ? undefined : place
}

const tokenOf = (entry: Entry, place: TokenPlace, original: string | undefined): ListedToken | undefined => {
  const name = displayText(entry.name, NAME_LENGTH)
  const symbol = displayText(entry.symbol, SYMBOL_LENGTH)
  if (name === '' || symbol === '') return undefined
  const logo = logoUri(entry.logoURI ?? entry.logoUri ?? entry.icon)
  return {
    address: place.address,
    name,
    symbol,
    decimals: entry.decimals,
    ...(logo === undefined ? {} : { logoUri: logo }),
    internalId: internalIdOf(place, original),
  }
}

/** Ethereum's own entries name their bridged copies: `eip155:<chain>/<address>` → address on Ethereum. */
const originalsOf = (entries: readonly Entry[]): Map<string, string> => {
  const originals = new Map<string, string>()
  for (const entry of entries) {
    const original = entry.chainId === 1 && entry.address !== undefined ? placeOf(entry.address, 1) : undefined
    if (original === undefined) continue
    for (const [chainId, copy] of bridgesOf(entry)) originals.set(`eip155:${chainId}/${copy}`, original.address)
  }
  return originals
}

/**
 * Parses a token list. Broken entries, entries of chains without a known address form, duplicates and names of the
 * native coin are left out and counted; the first entry of an address counts.
 * @throws SyntaxError when it is not JSON, BadAnswerError when it is not a list.
 */
export const parseTokenList = (text: string, { home, maxTokens }: ParseOptions): ParsedList => {
  const document: unknown = JSON.parse(text)
  if (!listCheck.Check(document)) throw new BadAnswerError('not a token list: neither {tokens: […]} nor an array')
  const all = Array.isArray(document) ? document : document.tokens
  const entries = all.slice(0, maxTokens).filter((entry) => entryCheck.Check(entry))
  const originals = originalsOf(entries)
  const chains = new Map<string, Map<string, ListedToken>>()
  let taken = 0
  for (const entry of entries) {
    const place = placeOfEntry(entry, home)
    if (place === undefined) continue
    const tokens = chains.get(place.caip2Id) ?? new Map<string, ListedToken>()
    if (tokens.has(place.address)) continue
    const bridged = bridgesOf(entry).find(([chainId]) => chainId === '1')?.[1]
    const token = tokenOf(entry, place, bridged ?? originals.get(`${place.caip2Id}/${place.address}`))
    if (token === undefined) continue
    tokens.set(token.address, token)
    chains.set(place.caip2Id, tokens)
    taken += 1
  }
  const tokens = new Map([...chains].map(([chain, found]) => [chain, [...found.values()]]))
  return { tokens, taken, skipped: all.length - taken }
}
