import { LRUCache } from 'lru-cache'
import { BadAnswerError } from '../../../errors.ts'
import { encodeBase58 } from '../../../lib/bytes/base58.ts'
import { displayText } from '../../../lib/display-text.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { inTurns } from '../../../lib/waiting/in-turns.ts'
import type { UpstreamPool } from '../../../upstream/types.ts'
import type { Outcome, ReadContext } from '../../capabilities.ts'
import type { AccountData } from '../account-data.ts'
import { readAccounts } from '../accounts.ts'
import type { AccountsPerCall } from '../accounts-per-call.ts'
import { DERIVED_PER_TURN, findDerivedAddress } from '../derived-address.ts'
import type { SolanaLimits } from '../limits.ts'
import { attempt, unwrap } from '../outcomes.ts'
import { CLOCK_SYSVAR, METAPLEX_PROGRAM, type Program, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.ts'
import type { SlotFloor } from '../slot-floor.ts'
import type { TokenText } from './metadata-text.ts'
import { decodeInterfaceText, decodeMetaplexText, decodeMint } from './mint.ts'
import { readClock } from './ui-multiplier.ts'

/** A mint whose facts are needed. */
export interface WantedMint {
  mint: string
  mintBytes: Uint8Array
  program: Program
  /** False when those who are read hold more than one together: then it is not an NFT. */
  single: boolean
  /** False when a list already names the token. */
  needsText: boolean
}

export interface MintFacts {
  decimals: number
  /** Decimals 0 and a supply of 1. */
  nft: boolean
  /** Name and symbol from the chain, safe to show; either may be empty. Absent = none, or not needed. */
  text?: TokenText
  /** See TokenAmount. */
  uiMultiplier?: number | null
}

/** Facts, and whether all of the chain's text for the mint was read. */
interface Entry extends MintFacts {
  textRead: boolean
  closable: boolean
  /** Nobody can make more of it. */
  isFinal: boolean
  /** Another account that the mint names as its metadata. */
  metadataAt?: string
  /** When the mint was read, milliseconds of `performance.now()`; reading its text later does not make it newer. */
  readAt: number
}

/** A mint of which something is still unknown. */
interface Open {
  wanted: WantedMint
  entry: Entry | undefined
}

export interface MintFactsDeps {
  pool: UpstreamPool
  perCall: AccountsPerCall
  limits: SolanaLimits
  floor: SlotFloor
}

type Accounts = Map<string, Outcome<AccountData | null>>

const timeOf = (accounts: Accounts): bigint | undefined => {
  const clock = accounts.get(CLOCK_SYSVAR)
  return clock?.ok ? readClock(clock.value) : undefined
}

const metaplexAddress = (mint: Uint8Array): string =>
  encodeBase58(findDerivedAddress([Buffer.from('metadata'), METAPLEX_PROGRAM.bytes, mint], METAPLEX_PROGRAM))

/**
 * What the chain knows about mints: decimals, whether it is an NFT, name and symbol (from the Token-2022 metadata
 * extension, else from the account that the mint points to, else from the Metaplex metadata account). Read once and
 * remembered: decimals cannot change unless a mint may be closed and created again. What can change is read again after
 * a while: such mints, those with scaled UI amounts, the supply of a token without decimals, and text. The only one of
 * which nobody can make another is an NFT for good.
 */
export const createMintFacts = (deps: MintFactsDeps) => {
  const { limits, floor } = deps
  const known = new LRUCache<string, Entry>(roomFor(limits.mintEntries))

  /** A server that has reported the holdings must not report mints from long before. */
  const read = (addresses: readonly string[], context: ReadContext): Promise<Accounts> =>
    readAccounts(deps, addresses, context, floor.slot() - BigInt(limits.maxSlotSpread))

  const clean = ({ name, symbol }: TokenText): TokenText => ({
    name: displayText(name, limits.maxName),
    symbol: displayText(symbol, limits.maxSymbol),
  })

  /** A single one that is the last stays single. */
  const supplyTimes = ({ nft, isFinal }: Entry): number[] =>
    nft ? (isFinal ? [] : [limits.mintableMs]) : [limits.supplyMs]

  const remember = (mint: string, entry: Entry): void => {
    const times = [
      ...(entry.closable ? [limits.closableMs] : []),
      ...(entry.uiMultiplier === undefined ? [] : [limits.uiMultiplierMs]),
      ...(entry.decimals === 0 ? supplyTimes(entry) : []),
      ...(entry.textRead ? [entry.text ? limits.textMs : limits.missingTextMs] : []),
    ]
    known.set(mint, entry, { ttl: times.length === 0 ? 0 : Math.min(...times), start: entry.readAt })
  }

  const fromMint = ({ mint, mintBytes, program }: WantedMint, accounts: Accounts): Entry => {
    const account = unwrap(accounts.get(mint), `mint ${mint}`)
    if (!account || account.program !== program.address) throw new BadAnswerError(`mint ${mint} is missing`)
    const { decimals, supply, isFinal, text, metadataAt, closable, uiMultiplier } = decodeMint(account, mintBytes)
    const time = uiMultiplier && timeOf(accounts)
    return {
      decimals,
      nft: decimals === 0 && supply === 1n,
      closable,
      isFinal,
      readAt: performance.now(),
      textRead: text !== undefined,
      ...(metadataAt === undefined ? {} : { metadataAt }),
      ...(text ? { text: clean(text) } : {}),
      ...(uiMultiplier ? { uiMultiplier: time === undefined ? null : uiMultiplier(time) } : {}),
    }
  }

  const withAccounts = (entry: Entry, wanted: WantedMint, address: string, accounts: Accounts): Entry => {
    const { metadataAt } = entry
    const pointed = metadataAt === undefined ? null : unwrap(accounts.get(metadataAt), 'token metadata')
    const account = unwrap(accounts.get(address), 'token metadata')
    const text =
      (pointed && decodeInterfaceText(pointed, wanted.mintBytes)) ??
      (account ? decodeMetaplexText(account, wanted.mintBytes) : undefined)
    return { ...entry, textRead: true, ...(text ? { text: clean(text) } : {}) }
  }

  const wantsText = (entry: Entry, wanted: WantedMint): boolean => wanted.needsText && !entry.nft && !entry.textRead

  /** First the mints, with the Metaplex accounts that are surely needed; then the other Metaplex accounts. */
  const learn = async (open: readonly Open[], context: ReadContext, results: Map<string, Outcome<Entry>>) => {
    const fresh = open.filter(({ entry }) => !entry).map(({ wanted }) => wanted)
    const early = fresh.filter(({ needsText, single, program }) => needsText && !single && program === TOKEN_PROGRAM)
    const metaplex = new Map<string, string>()
    await inTurns(early, DERIVED_PER_TURN, ({ mint, mintBytes }) => metaplex.set(mint, metaplexAddress(mintBytes)))
    // The chain's clock in the same answer: the program uses it, and ours may be wrong.
    const clock = fresh.some(({ program }) => program === TOKEN_2022_PROGRAM) ? [CLOCK_SYSVAR] : []
    const first = await read([...fresh.map(({ mint }) => mint), ...clock, ...metaplex.values()], context)

    const late: { wanted: WantedMint; entry: Entry; address: string }[] = []
    await inTurns(open, DERIVED_PER_TURN, ({ wanted, entry: seen }) => {
      const outcome = attempt((): Entry | undefined => {
        const entry = seen ?? fromMint(wanted, first)
        // Remembered at once, so that a read that runs out of time lets the next one get further.
        if (!seen) remember(wanted.mint, entry)
        if (!wantsText(entry, wanted)) return entry
        const address = metaplex.get(wanted.mint)
        if (address) return withAccounts(entry, wanted, address, first)
        late.push({ wanted, entry, address: metaplexAddress(wanted.mintBytes) })
        return undefined
      })
      if (!outcome.ok) results.set(wanted.mint, outcome)
      else if (outcome.value) results.set(wanted.mint, { ok: true, value: outcome.value })
    })

    const addresses = new Set(
      late.flatMap(({ entry, address }) => [address, ...(entry.metadataAt === undefined ? [] : [entry.metadataAt])]),
    )
    const second = await read([...addresses], context)
    for (const { wanted, entry, address } of late) {
      results.set(
        wanted.mint,
        attempt(() => withAccounts(entry, wanted, address, second)),
      )
    }
  }

  return async (mints: readonly WantedMint[], context: ReadContext): Promise<Map<string, Outcome<MintFacts>>> => {
    const results = new Map<string, Outcome<Entry>>()
    const open: Open[] = []
    for (const wanted of mints) {
      const kept = known.get(wanted.mint)
      // More are held than the single one that existed: more have been minted since.
      const entry = kept?.nft && !wanted.single ? undefined : kept
      if (entry && !wantsText(entry, wanted)) results.set(wanted.mint, { ok: true, value: entry })
      else open.push({ wanted, entry })
    }
    await learn(open, context, results)
    for (const { wanted } of open) {
      const outcome = results.get(wanted.mint)
      if (outcome?.ok) remember(wanted.mint, outcome.value)
    }
    return results
  }
}
